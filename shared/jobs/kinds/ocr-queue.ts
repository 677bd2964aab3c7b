import { runDocument } from './document/run-document.ts';
import { runKinds } from './run-kind.ts';
import { runSection } from './section/sections.ts';

/** Runs the jobs of the queue of documents that are read. */
export const runOcrJob = runKinds<'ocr'>({ document: runDocument, section: runSection });
