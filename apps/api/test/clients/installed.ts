import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The folder of clients that are tried; `npm ci --prefix apps/api/test/clients` installs them. */
export const CLIENTS = fileURLToPath(new URL('./', import.meta.url))

const { dependencies } = JSON.parse(readFileSync(join(CLIENTS, 'package.json'), 'utf8'))

/** False, too, if some were added to the list since the others were installed. */
export const areInstalled = Object.keys(dependencies).every((name) =>
  existsSync(join(CLIENTS, 'node_modules', name)),
)
if (!areInstalled) console.log(`SKIPPED: clients are not installed; npm ci --prefix ${CLIENTS}`)

/** Loads a client. Its types are those of its own version of the libraries, hence none. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export const load = (name: string): any => createRequire(join(CLIENTS, 'package.json'))(name)
