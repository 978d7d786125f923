import { readFileSync } from 'node:fs'

/** Version of this program, from the package.json of the repository. */
export const programVersion: string = (
  JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as { version: string }
).version
