import { createDb, type DatabaseHandle, migrate } from '@shardwalk/db'
import { onDatabase, type TestServer, withDatabase } from './test-server.ts'

/** What a database contains. It is built once per run of the tests; every test file works on a copy. */
export interface Template {
  /** Part of the database's name: lower case letters. */
  readonly name: string
  /** Built on a copy of this one. Default: an empty database. */
  readonly base?: Template
  /** Must close the connections that it opens itself. */
  build(database: DatabaseHandle): Promise<void>
}

/** All tables, empty. */
export const MIGRATED: Template = {
  name: 'migrated',
  async build({ db }) {
    await migrate(db)
  },
}

/** Any number; all processes of a run lock the same one. */
const LOCK = 7_245_301
const EMPTY = "template template0 encoding 'UTF8' lc_collate 'C' lc_ctype 'C'"

/** Creates a database with the content of the template. */
export async function createFrom(
  server: TestServer,
  { name, template }: { readonly name: string; readonly template: Template | undefined },
): Promise<void> {
  if (template && server.run === undefined) {
    // A process on its own, e.g. a benchmark: copies would not pay.
    await createFrom(server, { name, template: template.base })
    return build(withDatabase(server.url, name), template)
  }
  const from = template ? await templateDatabase(server, template) : undefined
  await onDatabase(server.url, (client) => client.query(createDatabase(name, from)))
}

/** By database; they live as long as the run. */
const templates = new Map<string, Promise<string>>()

/**
 * Name of the template's database. The first use in a run builds it; others wait for that, once in a process.
 */
function templateDatabase(server: TestServer, template: Template): Promise<string> {
  const key = `${server.url} ${template.name} ${server.run}`
  let found = templates.get(key)
  if (!found) {
    found = findOrBuild(server, template)
    templates.set(key, found)
    found.catch(() => templates.delete(key))
  }
  return found
}

async function findOrBuild(server: TestServer, template: Template): Promise<string> {
  const base = template.base && (await templateDatabase(server, template.base))
  const name = `template_${template.name}_${server.run}`
  await onDatabase(server.url, async (client) => {
    await client.query('select pg_advisory_lock($1)', [LOCK])
    const found = await client.query('select from pg_database where datname = $1', [name])
    if (found.rowCount) return
    // Renamed when complete, so that what a failed build left is never copied.
    const unfinished = `${name}_unfinished`
    await client.query(`drop database if exists ${unfinished} with (force)`)
    await client.query(createDatabase(unfinished, base))
    await build(withDatabase(server.url, unfinished), template)
    await client.query(`alter database ${unfinished} rename to ${name}`)
  })
  return name
}

async function build(url: string, template: Template): Promise<void> {
  const handle = createDb({ url, max: 4, applicationName: 'test' })
  try {
    await template.build(handle)
  } finally {
    await handle.close()
  }
}

const createDatabase = (name: string, from: string | undefined): string =>
  `create database ${name} ${from ? `template ${from} strategy file_copy` : EMPTY}`
