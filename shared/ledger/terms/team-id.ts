/** Whether an id is a team's, not a key's. */
export const isTeamId = (id: string) => id.startsWith('team_');
