/** What the id of a batch looks like. */
export const batchIdPattern = /^batch_[0-9a-f-]{36}$/;

/** Returns the id of a batch as its callers know it: the job's, with another word before it. */
export const batchIdOf = (jobId: string) => jobId.replace(/^job_/, 'batch_');

/** Returns the id of a batch's job; undefined if this is no batch's id. */
export const batchJobIdOf = (id: string) =>
  batchIdPattern.test(id) ? id.replace(/^batch_/, 'job_') : undefined;
