import { ago } from '../parts/format.ts';
import { Scrolled } from '../parts/scrolled.tsx';
import { linkTo } from '../route.ts';
import { type Job, kindOf, titleOf, wordsOf } from './job.ts';
import { ProgressText, Status } from './status.tsx';

/** Jobs as rows, each with a link to its page. */
export function JobTable({ jobs, caption }: { jobs: Job[]; caption: string }) {
  return (
    <Scrolled label={caption}>
      <table class="jobs">
        <thead>
          <tr>
            <th scope="col">Job</th>
            <th scope="col" class="text">
              Status
            </th>
            <th scope="col" class="text">
              Kind
            </th>
            <th scope="col">Priority</th>
            <th scope="col">Submitted</th>
          </tr>
        </thead>
        <tbody>
          {jobs.map((job) => (
            <tr key={job.id} class={job.parent_job_id ? 'child' : ''}>
              <th scope="row">
                <a href={linkTo('jobs', job.id)}>{titleOf(job)}</a>
                {job.error && <small class="problem">{wordsOf(job.error)}</small>}
              </th>
              <td class="text">
                <Status status={job.status} /> <ProgressText job={job} />
              </td>
              <td class="text">
                {kindOf(job)} <small>{job.model}</small>
              </td>
              <td>{job.priority}</td>
              <td>{ago(job.created_at)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scrolled>
  );
}
