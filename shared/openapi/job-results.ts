import * as results from '../jobs/results/result.ts';
import { ResultWarning } from '../jobs/results/warnings.ts';
import { described, kept } from './operation.ts';

/** What the document says of jobs' results; examples of them follow. */
export const components = described({ ...results, ResultWarning });

export const chatResult: results.ChatResult = kept('chatResult');

export const ocrResult: results.OcrResult = kept('ocrResult');

export const folderResult: results.FolderResult = kept('folderResult');

export const extractResult: results.ExtractResult = kept('extractResult');
