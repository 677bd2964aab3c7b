export const Playground = () => <h1>Playground</h1>;
