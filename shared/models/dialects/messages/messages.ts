import type { EndingDialect } from '../dialect.ts';

const unwritten = (): never => {
  throw new Error('This dialect is not written yet');
};

export const messages: EndingDialect = {
  path: '/messages',
  limitName: 'max_tokens',
  sized: unwritten,
  readRequest: unwritten,
  writeRequest: unwritten,
  readAnswer: unwritten,
  writeAnswer: unwritten,
  reader: unwritten,
  writer: unwritten,
};
