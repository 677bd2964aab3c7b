import type { ComponentProps } from 'preact';

/** A button of less weight than the main one of a page or a form; `class` adds to its classes. */
export const Quiet = ({
  class: more = '',
  ...rest
}: ComponentProps<'button'> & { class?: string }) => (
  <button type="button" class={`quiet ${more}`} {...rest} />
);
