/** What a job can be asked to do. Of `auto` its file decides. */
export const jobTypes = ['chat', 'ocr', 'auto'] as const;
export type JobType = (typeof jobTypes)[number];

/** Where what a job works on comes from. */
export const inputTypes = ['inline', 'drive_file', 'drive_folder', 'file'] as const;
export type InputType = (typeof inputTypes)[number];
