import type { Job } from '../../engine/item/job.ts';
import { isWindowOver } from './window.ts';

/** What stands for a line in the error file of a batch that was stopped before it was asked. */
export const unaskedError = ({ stop_reason = '' }: Job) =>
  isWindowOver(stop_reason)
    ? {
        code: 'batch_expired',
        message: 'This request could not be executed before the completion window expired.',
      }
    : {
        code: 'batch_cancelled',
        message: 'This request was not executed before the batch was cancelled.',
      };
