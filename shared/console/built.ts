/** The console's files by name. A name contains a hash of the content, which therefore never changes. */
export interface BuiltConsole {
  /** The names of the files that the page loads. */
  script: string;
  styles: string;
  /** The licences of the packages in the script. */
  notices: string;
  files: Record<string, BuiltFile>;
}

interface BuiltFile {
  type: string;
  content: string;
}
