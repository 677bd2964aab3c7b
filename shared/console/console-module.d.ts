/** The console as `lib/stack/bundles/console-bundle.ts` builds it; the functions' bundler puts it in place of this name. */
declare module '#console' {
  const built: import('./built.ts').BuiltConsole;
  // biome-ignore lint/style/noDefaultExport: a JSON import has no other
  export default built;
}
