import * as results from '../jobs/results/result.ts';
import { ResultWarning } from '../jobs/results/warnings.ts';
import { component, kept, words } from './operation.ts';

/** What the document says of jobs' results; examples of them follow. */
export const components = {
  JobResult: component(results.JobResult, words.JobResult),
  ChatResult: component(results.ChatResult, words.ChatResult),
  ChatBatchResult: component(results.ChatBatchResult, words.ChatBatchResult),
  LineCounts: component(results.LineCounts, words.LineCounts),
  OcrResult: component(results.OcrResult, words.OcrResult),
  ResultWarning: component(ResultWarning, words.ResultWarning),
  OcrPage: component(results.OcrPage, words.OcrPage),
  PipelineResult: component(results.PipelineResult, words.PipelineResult),
  ExtractResult: component(results.ExtractResult, words.ExtractResult),
  Evidence: component(results.Evidence, words.Evidence),
  ExtractCoverage: component(results.ExtractCoverage, words.ExtractCoverage),
  CoveredPage: component(results.CoveredPage, words.CoveredPage),
  CoveredArray: component(results.CoveredArray, words.CoveredArray),
  MissingRow: component(results.MissingRow, words.MissingRow),
  PagesRead: component(results.PagesRead, words.PagesRead),
  FolderResult: component(results.FolderResult, words.FolderResult),
  LeftOutFile: component(results.LeftOutFile, words.LeftOutFile),
  SubfolderCounts: component(results.SubfolderCounts, words.SubfolderCounts),
  FileCounts: component(results.FileCounts, words.FileCounts),
  FailedFile: component(results.FailedFile, words.FailedFile),
  TokenCounts: component(results.TokenCounts, words.TokenCounts),
};

export const chatResult: results.ChatResult = kept('chatResult');

export const ocrResult: results.OcrResult = kept('ocrResult');

export const folderResult: results.FolderResult = kept('folderResult');

export const extractResult: results.ExtractResult = kept('extractResult');
