export const NewJob = () => <h1>NewJob</h1>;
