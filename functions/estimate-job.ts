import { ServiceError } from '../shared/http/errors.ts';
import type { EstimateAnswer, EstimateQuestion } from '../shared/jobs/routes/estimate.ts';
import { estimateSubmission } from '../shared/jobs/routes/estimate-submission.ts';

/** Invoked by `submit-job`. */
export const handler = async (question: EstimateQuestion): Promise<EstimateAnswer> => {
  try {
    return { estimate: await estimateSubmission(question) };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const { statusCode, code, message } = error;
    return { refusal: { statusCode, code, message } };
  }
};
