import {
  FeedbackList,
  FeedbackQuery,
  FeedbackReceipt,
  FeedbackRequest,
  GivenFeedback,
} from '../feedback/request.ts';
import { catalogue } from '../models/catalogue.ts';
import { validationErrors } from './error-answers.ts';
import { content, described, json, operation, parameters } from './operation.ts';

const session_id = 'support-4711';
const message_id = 'msg_019aa1f2-9e04-7c55-b1f0-6a2d8e9c3b17';

export const components = described({
  FeedbackRequest,
  FeedbackReceipt,
  GivenFeedback,
  FeedbackList,
});

const listFeedback = operation('get /feedback', 'listFeedback', 'Feedback', {
  summary: 'Read ratings again',
  description:
    'What your key has said of a conversation, or of a job: its ratings, and corrections of its fields. One that was given in this second may be missing.',
  parameters: parameters('query', FeedbackQuery, {
    session_id: 'The conversation, or the job’s id.',
  }),
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
