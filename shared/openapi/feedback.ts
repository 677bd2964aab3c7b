import {
  FeedbackList,
  FeedbackQuery,
  FeedbackReceipt,
  FeedbackRequest,
  GivenFeedback,
} from '../feedback/request.ts';
import { catalogue } from '../models/catalogue.ts';
import { validationErrors } from './error-answers.ts';
import { component, content, json, operation, parameters } from './operation.ts';

const session_id = 'support-4711';
const message_id = 'msg_019aa1f2-9e04-7c55-b1f0-6a2d8e9c3b17';

export const components = {
  FeedbackRequest: component(FeedbackRequest, 'What a user thought of an answer.', {
    session_id: 'The conversation; or a job, by its id, of whose result a field is corrected.',
    rating: 'Up or down, by any of these names.',
    message_id:
      'The message that is rated, as the event `start` of its stream named it. It alone tells messages of a session apart then; without it their contents do. Of a job, the field: its path in the result’s `evidence`, such as `/total`.',
    model: 'The model that answered.',
    comment: 'What the user says of it.',
    message_content: 'The answer.',
    user_message: 'What it answered.',
    correction: 'What would have been right: the true value of a field.',
  }),
  FeedbackReceipt: component(FeedbackReceipt, 'A rating that was kept.', {
    id: 'The rating’s id.',
    session_id: 'The conversation.',
    message_id: 'The message; null if it was not named.',
    rating: 'What was understood.',
    created_at: 'When the message was first rated.',
  }),
  GivenFeedback: component(GivenFeedback, 'A rating, without what it rates.', {
    id: 'The rating’s id.',
    session_id: 'The conversation, or the job.',
    message_id: 'The message, or the field; null if it was not named.',
    rating: 'Up or down.',
    model: 'The model that answered.',
    comment: 'What the user said of it.',
    correction: 'What would have been right; empty if that was not said.',
    created_at: 'When the message was first rated.',
    updated_at: 'When it was rated last.',
  }),
  FeedbackList: component(FeedbackList, 'The ratings of a conversation or a job.', {
    feedback: 'A thousand at most, in the order in which they were first given.',
  }),
};

const listFeedback = operation('get /feedback', 'listFeedback', 'Feedback', {
  summary: 'Read ratings again',
  description:
    'What your key has said of a conversation, or of a job: its ratings, and corrections of its fields. One that was given in this second may be missing.',
  parameters: [
    parameters('query', FeedbackQuery, { session_id: 'The conversation, or the job’s id.' }),
  ],
  answers: {
    200: json('The ratings.', FeedbackList, { None: { feedback: [] } }),
    422: validationErrors({}),
  },
});

const submitFeedback = operation('post /feedback', 'submitFeedback', 'Feedback', {
  summary: 'Rate an answer',
  description: 'Rating the same answer again replaces its rating.',
  body: content(FeedbackRequest, {
    'A thumb up': { session_id, message_id, rating: 'thumbs_up' },
    'A complaint': {
      session_id,
      rating: 'down',
      model: catalogue.defaults.chat,
      comment: 'That is last year’s price.',
      user_message: 'What does it cost?',
      message_content: 'It costs $12.',
    },
  }),
  answers: {
    200: json('The rating was kept.', FeedbackReceipt, {
      'A thumb up': {
        id: 'feedback_019aa1f2-b7d3-7f18-9a0c-4e6d2b8f5c31',
        session_id,
        message_id,
        rating: 'up',
        created_at: '2026-11-20T15:04:05.123Z',
      },
    }),
    422: validationErrors({
      'No rating': { loc: ['body', 'rating'], msg: 'Field required', type: 'missing' },
    }),
  },
});

export const operations = [submitFeedback, listFeedback];
