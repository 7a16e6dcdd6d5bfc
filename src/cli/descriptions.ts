/** The description of each command, and of each group of commands, in the order of `--help`. */
export const DESCRIPTIONS = {
  migrate: 'Updates the database to the schema of this release, and builds missing product documents.',
  export: 'Writes all products, prices, stock and customers as import files, without API keys.',
  customer: 'Lists, shows, changes and deletes customers.',
  quota: 'Shows the usage of quotas.',
  documents: 'Builds and checks the stored product documents, from which GET /products is assembled.',
  catalogue: 'Checks the stored catalogue.',
  key: 'Issues, lists, rotates and revokes API keys.',
  import: 'Adds or overwrites rows by key: all rows of the files, or none. See docs/import-format.md.',
};
