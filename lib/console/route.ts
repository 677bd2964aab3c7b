import { computed, signal } from '@preact/signals';

const hash = signal(location.hash);
window.addEventListener('hashchange', () => {
  hash.value = location.hash;
});

/** Where in the console its user is: `#/jobs/job_…` is the page `jobs` with the argument `job_…`. */
export const route = computed(() => {
  const [page = '', argument] = hash.value.replace(/^#\/?/, '').split('/');
  return { page: page || 'overview', argument };
});

/** The link to a page. */
export const linkTo = (page: string, argument?: string) =>
  argument === undefined ? `#/${page}` : `#/${page}/${argument}`;

/** Goes to a page. */
export function goTo(page: string, argument?: string): void {
  location.hash = linkTo(page, argument);
}
