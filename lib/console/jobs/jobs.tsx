export const Jobs = () => <h1>Jobs</h1>;
