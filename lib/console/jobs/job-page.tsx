export const JobPage = ({ id }: { id: string }) => <h1>{id}</h1>;
