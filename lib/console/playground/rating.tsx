import { call } from '../api/call.ts';
import { useAction } from '../parts/action.ts';
import { Quiet } from '../parts/quiet.tsx';
import type { Turn } from './chat-request.ts';
import { sessionId, update } from './conversation.ts';

const thumbs = [
  ['up', 'Good answer'],
  ['down', 'Bad answer'],
] as const;

/** Thumbs, which send the answer's rating. */
export function Rating({ turn, index }: { turn: Turn; index: number }) {
  const { problem, act } = useAction();
  const rate = (rating: 'up' | 'down') =>
    act(async () => {
      await call('POST', '/feedback', {
        session_id: sessionId.value,
        message_id: turn.messageId,
        rating,
        model: turn.model,
        user_message: turn.question.slice(0, maxContent),
        message_content: turn.text.slice(0, maxContent),
      });
      update(index, { rating });
    });
  return (
    <>
      {thumbs.map(([rating, label]) => (
        <Quiet
          key={rating}
          class="small"
          aria-label={label}
          aria-pressed={turn.rating === rating}
          onClick={() => rate(rating)}
        >
          <svg class={`thumb ${rating}`} viewBox="0 0 24 24" aria-hidden="true">
            <path d="M3 11h4v10H3zM7 12l4-9c2 0 3 1 3 3v4h5c1 0 2 1 2 2l-1 7c0 1-1 2-2 2H7" />
          </svg>
        </Quiet>
      ))}
      {turn.rating && (
        <small class="unseen" role="status">
          Thank you
        </small>
      )}
      {problem && (
        <small class="problem" role="alert">
          {problem.message}
        </small>
      )}
    </>
  );
}

/** The service takes no longer contents. */
const maxContent = 100_000;
