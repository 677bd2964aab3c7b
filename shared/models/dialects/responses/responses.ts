import type { EndingDialect } from '../dialect.ts';

const unwritten = (): never => {
  throw new Error('This dialect is not written yet');
};

export const responses: EndingDialect = {
  path: '/responses',
  limitName: 'max_output_tokens',
  sized: unwritten,
  readRequest: unwritten,
  writeRequest: unwritten,
  readAnswer: unwritten,
  writeAnswer: unwritten,
  reader: unwritten,
  writer: unwritten,
};
