import * as sessions from '../chat/session-records.ts';
import { errorAnswer, validationErrors } from './error-answers.ts';
import { described, json, operation, parameters } from './operation.ts';

export const components = described({
  Session: sessions.SessionEntry,
  SessionList: sessions.SessionList,
  SessionWithMessages: sessions.SessionRecord,
  DeletedSession: sessions.DeletedSession,
});

const session = {
  session_id: 'support-4711',
  user_id: 'ada',
  message_count: 2,
  updated_at: '2026-11-20T15:04:09.872Z',
  expires_at: '2026-11-21T15:04:09.000Z',
};

const one = [
  parameters('path', sessions.SessionPath, {
    session_id: { description: 'What the session is called.', example: session.session_id },
  }),
  parameters('query', sessions.SessionQuery, {
    user_id: 'Whose session it is; sessions of two users may share an id.',
  }),
];

const refusals = {
  404: errorAnswer(
    'There is no such session, or it is another key’s: which of the two is never said.',
    'There is no such session.',
  ),
  422: validationErrors({
    'A long session_id': {
      loc: ['path', 'session_id'],
      msg: 'String should have at most 128 characters',
      type: 'string_too_long',
    },
  }),
};

export const operations = [
  operation('get /chat/sessions', 'listSessions', 'Chat', {
    summary: 'List your sessions',
    description: 'The conversations that your key has had and that are not forgotten, 50 a page.',
    parameters: parameters('query', sessions.SessionListQuery, {
      cursor: '`next_cursor` of the page before.',
      user_id: 'Only this user’s.',
    }),
    answers: {
      200: json('A page of sessions.', sessions.SessionList, {
        'The last page': { sessions: [session], next_cursor: null },
      }),
      422: validationErrors({
        'A wrong cursor': {
          loc: ['query', 'cursor'],
          msg: 'Value error, not a cursor of ours',
          type: 'value_error',
        },
      }),
    },
  }),
  operation('get /chat/sessions/{session_id}', 'getSession', 'Chat', {
    parameters: one,
    summary: 'Read a session',
    description: 'What was said so far.',
    answers: {
      200: json('The session.', sessions.SessionRecord, {
        'A session': {
          ...session,
          messages: [
            { role: 'user', content: 'What is a dead-letter queue?' },
            { role: 'assistant', content: 'A queue whose messages nobody could process.' },
          ],
        },
      }),
      ...refusals,
    },
  }),
  operation('delete /chat/sessions/{session_id}', 'deleteSession', 'Chat', {
    parameters: one,
    summary: 'Delete a session',
    description:
      'Erases what was said, and ratings of it with the texts that were rated. An answer that is being written at that moment is not kept. Documents and pages that answers were made from are never kept. Backups of the service hold no sessions; they keep ratings for 35 days at most.',
    answers: {
      200: json('It is erased.', sessions.DeletedSession, {
        'A session': { session_id: session.session_id, user_id: session.user_id, deleted: true },
      }),
      ...refusals,
    },
  }),
];
