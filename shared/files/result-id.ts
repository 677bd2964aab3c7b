/**
 * Returns the id of a job's result as a file: the job's own with version 8, so that nothing need be stored.
 * @see https://www.rfc-editor.org/rfc/rfc9562#name-uuid-version-8
 */
export const resultIdOf = (jobId: string) =>
  `file-${jobId.replace(/^job_|-/g, '').replace(/^(.{12})7/, '$18')}`;

/** Whether a file's id names a job's result. */
export const isResultId = (id: string) => /^file-[0-9a-f]{12}8[0-9a-f]{19}$/.test(id);

/** Returns the id of the job that a result is of. */
export const jobIdOfResult = (id: string) =>
  id.replace(/^file-(.{8})(.{4})8(.{3})(.{4})(.{12})$/, 'job_$1-$2-7$3-$4-$5');
