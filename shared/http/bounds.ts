// What may be in the memory of a function's process, of one request or job at a time: all bounds stand here, with their
// reasons. `byte-budget.ts` bounds what is there of all of them together.

const kb = 2 ** 10;
const mb = 2 ** 20;

/** The share of a process's memory that bodies, files and answers have. The rest is for Node, the code and garbage. */
export const memoryShare = 3 / 4;

/**
 * How many times its bytes a body, a file or an answer takes while it is worked on: as it came, as text, as base64, parsed,
 * written again, and sent.
 */
export const copies = 6;

/**
 * A request's body, a line of a file of requests, and the files that a message of a job names: as much as Lambda takes. A
 * job's own `file_id` has no such bound.
 */
export const maxBodyBytes = 6 * mb;

/** The files that a request to a model names: as base64 they are 27 MB, and providers take 30 to 50. */
export const maxNamedFileBytes = 20 * mb;

/** The files that a message of `/chat/stream` names: as much as the function that reads documents can be sent of one. */
export const maxChatFileBytes = 4 * mb;

/** A text that a job's model is asked about. A longer one would be put to it in hundreds of parts. */
export const maxTextBytes = 20 * mb;

/** A document that a link leads to: as large as one may be that is taken apart. */
export const maxLinkedBytes = 50 * mb;

/** A page of the web, unpacked. */
export const maxWebPageBytes = 5_000_000;

/** A page's picture, as it is drawn: Textract takes no larger one. */
export const maxPictureBytes = 5_000_000;

/**
 * An answer in one piece, and an event of a stream. All that a model writes is a megabyte, and eight times that with
 * `n: 8`; more has only what lists `top_logprobs`, or a picture. It is parsed in a fifth of a second, in which others wait.
 */
export const maxAnswerBytes = 16 * mb;

/** The bytes of an answer that are read before it takes room of its own. Most answers have no more. */
export const freeAnswerBytes = 64 * kb;

/** Then it takes so much, and if that is too little as much as an answer may have. */
export const usualAnswerBytes = mb;

/** What a provider of searches answers: ten hits have some KB. */
export const maxHitsBytes = 4 * mb;

/** A provider's error. Its message has some hundred bytes; a larger one is left out. */
export const maxErrorBytes = 64 * kb;

/** How much of a stream waits for its reader before its upstream is held back; the first figure where there is no room. */
export const unreadBytes = { least: 64 * kb, most: mb };
