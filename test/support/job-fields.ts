/** Every field of a job's record, in the contract's order. */
export const jobFields = [
  'id',
  'status',
  'job_type',
  'model',
  'input_type',
  'filename',
  'priority',
  'retry_count',
  'max_retries',
  'result',
  'error',
  'drive_folder_id',
  'drive_result_file_id',
  'pipeline',
  'pipeline_instruction',
  'parent_job_id',
  'created_at',
  'started_at',
  'completed_at',
];

export const jobIdFormat =
  /^job_[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;
export const instantFormat = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
