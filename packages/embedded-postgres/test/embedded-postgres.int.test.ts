import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmod,
  copyFile,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { isRunning, OwnerLock } from '@shardwalk/concurrency'
import { copyFolder } from '@shardwalk/testkit'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import {
  copyBinaries,
  linkElsewhere,
  linkLibraries,
  locateBinaries,
  missingLinks,
  type PostgresBinaries,
  program,
} from '../src/binaries.ts'
import { type EmbeddedPostgres, findEmbeddedPostgres, startEmbeddedPostgres } from '../src/index.ts'
import { run } from '../src/run.ts'
import { readPostmaster } from '../src/server-process.ts'

const NOBODY = { uid: 65_534, gid: 65_534 }
const isRoot = process.getuid?.() === 0
/** Five seconds are guaranteed; the rest is for busy machines. */
const END_MS = 15_000
let folder: string
/** A folder that a server has been in. */
let used: string
const started: EmbeddedPostgres[] = []

const makeFolder = async () => {
  const made = await mkdtemp(join(tmpdir(), 'embedded-'))
  await chmod(made, 0o755)
  return made
}

beforeAll(async () => {
  used = await makeFolder()
  const server = await startEmbeddedPostgres({ dataDir: used })
  await server.stop()
})
afterAll(() => rm(used, { recursive: true, force: true }))

beforeEach(async () => {
  folder = await makeFolder()
})

afterEach(async () => {
  for (const server of started.splice(0)) await server.stop()
  await rm(folder, { recursive: true, force: true })
})

async function start(dataDir = folder): Promise<EmbeddedPostgres> {
  const server = await startEmbeddedPostgres({ dataDir })
  started.push(server)
  return server
}

/** For a server that was killed. */
async function restarted(server: EmbeddedPostgres): Promise<EmbeddedPostgres> {
  await server.exited
  await server.stop()
  return start()
}

/** Starts in a copy of the used folder, which takes a fraction of a set-up. */
async function startUsed(): Promise<EmbeddedPostgres> {
  await copyUsed()
  return start()
}

const copyUsed = () => copyFolder(used, folder)

async function query(url: string, text: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  client.on('error', () => {})
  await client.connect()
  try {
    return await client.query(text)
  } finally {
    await client.end()
  }
}

test('data survive a restart, kill -9 and a reused pid in the lock file, and the port stays', async () => {
  const first = await startUsed()
  await query(first.url, 'create table kept as select 42 as answer')
  await first.stop()
  expect((await stat(join(used, 'postgres-password'))).mode & 0o777).toBe(0o600)

  const second = await start()
  expect(second.port).toBe(first.port)
  expect((await readFile(join(folder, 'postgres-port'), 'utf8')).trim()).toBe(String(first.port))
  expect((await query(second.url, 'select answer from kept')).rows).toEqual([{ answer: 42 }])
  await query(second.url, 'create table committed as select 1 as answer')
  process.kill(second.pid, 'SIGKILL')
  const third = await restarted(second)
  expect((await query(third.url, 'select answer from committed')).rowCount).toBe(1)

  process.kill(third.pid, 'SIGKILL')
  await third.exited
  await third.stop()
  const lockFile = join(folder, 'postgres', 'postmaster.pid')
  const lines = (await readFile(lockFile, 'utf8')).split('\n')
  await writeFile(lockFile, [process.pid, ...lines.slice(1)].join('\n'))
  expect((await query((await start()).url, 'select answer from kept')).rowCount).toBe(1)
})

test('it is loopback-only, requires a password, sorts by bytes, is never root; starts share it', async () => {
  const server = await startUsed()
  const { rows } = await query(
    server.url,
    `select current_setting('listen_addresses') as addresses,
       current_setting('unix_socket_directories') as sockets,
       (select datcollate from pg_database where datname = current_database()) as collate,
       pg_encoding_to_char(6) as encoding`,
  )
  expect(rows).toEqual([{ addresses: '127.0.0.1', sockets: '', collate: 'C', encoding: 'UTF8' }])
  const wrong = new URL(server.url)
  wrong.password = 'guess'
  await expect(query(wrong.href, 'select 1')).rejects.toThrow(/password authentication failed/)
  if (process.platform === 'linux') {
    const status = await readFile(`/proc/${server.pid}/status`, 'utf8')
    expect(Number(/^Uid:\s+(\d+)/m.exec(status)![1])).not.toBe(0)
  }
  await expectShared(server)
})

/** A second start in the same folder uses the running server and does not stop it. */
async function expectShared(first: EmbeddedPostgres): Promise<void> {
  const second = await start()
  expect([second.owned, second.pid]).toEqual([false, first.pid])
  await second.stop()
  expect((await query(first.url, 'select 1')).rowCount).toBe(1)
  expect((await findEmbeddedPostgres(folder))?.url).toBe(first.url)
  await first.stop()
  expect(await findEmbeddedPostgres(folder)).toBeUndefined()
}

/** Process of the server in the folder, also of one that was killed; 0: there was none. */
async function serverPid(): Promise<number> {
  const text = await readFile(join(folder, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '')
  return Number.parseInt(text, 10) || 0
}

test('an interrupted set-up is repeated, a server killed before it is ready is started again', async () => {
  await mkdir(join(folder, 'postgres.unfinished', 'base'), { recursive: true })
  let isReady = false
  const starting = start().finally(() => {
    isReady = true
  })
  // While it starts, and when it has the database, which the starter may not know yet.
  const isStarting = async () => true
  const hasDatabase = async () => (await findEmbeddedPostgres(folder)) !== undefined
  const killed = new Set<number>()
  const killing = async () => {
    for (const hasCome of [isStarting, isStarting, hasDatabase, hasDatabase])
      for (let pid = 0; !isReady && !killed.has(pid); await delay(1)) {
        const found = await serverPid()
        if (found === 0 || killed.has(found) || !(await hasCome()) || isReady) continue
        process.kill(found, 'SIGKILL')
        pid = found
        killed.add(pid)
      }
  }
  const [server] = await Promise.all([starting, killing()])
  expect(killed.size).toBeGreaterThan(1)
  // The last kill may have come just after the start was through: that is not the start's concern.
  const running = killed.has(server.pid) ? await restarted(server) : server
  expect((await query(running.url, 'select 1')).rowCount).toBe(1)
})

test('a server without its starter ends in five seconds, even a stopped one; a new start works', async () => {
  const places = await Promise.all(
    ['again', 'alone', 'stopped'].map(async (name) => {
      const place = join(folder, name)
      await mkdir(place)
      await copyFolder(used, place)
      // Every copy has a port of its own.
      await rm(join(place, 'postgres-port'))
      return place
    }),
  )
  const isStopped = process.platform !== 'win32'
  const [first, alone, stopped] = await startInKilledProcess(
    places,
    isStopped ? 'process.kill(pids[2], "SIGSTOP")' : '',
  )
  const [server] = await Promise.all([
    start(places[0]),
    expect
      .poll(() => [alone, stopped].map((pid) => isRunning(pid!)), { timeout: END_MS })
      .not.toContain(true),
  ])
  expect(server.owned).toBe(true)
  expect(server.pid).not.toBe(first)
  expect((await query(server.url, 'select 1')).rowCount).toBe(1)
})

test.skipIf(process.platform === 'win32')(
  'a server whose starter ends before it is ready ends in five seconds too',
  async () => {
    await copyUsed()
    const starter = spawnStarter(`
      process.stdin.on('data', () => process.stdout.write('.'))
      await startEmbeddedPostgres({ dataDir: ${JSON.stringify(folder)} })`)
    let pid = 0
    while (pid === 0) pid = await serverPid()
    // A stopped server does not become ready. When the starter answers, it has done what follows a spawn.
    process.kill(pid, 'SIGSTOP')
    starter.stdin.write('?')
    await once(starter.stdout, 'data')
    starter.kill('SIGKILL')
    await expect.poll(() => isRunning(pid), { timeout: END_MS }).toBe(false)
  },
)

test('a copy that lost its modes starts, and is private again', async () => {
  await copyUsed()
  const paths = ['postgres', 'postgres-password'].map((name) => join(folder, name))
  for (const path of paths) await chmod(path, 0o755)
  const { url } = await start(folder)
  expect((await query(url, 'select 1 as one')).rows).toEqual([{ one: 1 }])
  const modes = paths.map(async (path) => (await stat(path)).mode & 0o777)
  expect(await Promise.all(modes)).toEqual([0o700, 0o600])
})

test('a copy of a folder whose database ran starts with a notice', async () => {
  const notices: string[] = []
  await copyUsed()
  // Of a process that has ended meanwhile.
  await writeFile(join(folder, 'postgres-owner'), `${process.pid} 1 pid:[1] - 1:1`)
  const onNotice = (text: string) => notices.push(text)
  started.push(await startEmbeddedPostgres({ dataDir: folder, onNotice }))
  expect(notices).toEqual([expect.stringContaining('a copy that was made while its database ran')])
})

test.each(['global/pg_control', 'pg_wal', 'pg_notify', 'postgresql.conf'])(
  'a copy without %s says that it is not complete',
  async (name) => {
    await copyUsed()
    await rm(join(folder, 'postgres', name), { recursive: true })
    await expect(start()).rejects.toThrow('restore a complete copy of the folder, with its empty folders')
  },
)

test('a password that is not the one of the database is named at once, and no server remains', async () => {
  await copyUsed()
  const file = join(folder, 'postgres-password')
  await writeFile(file, 'of another folder')
  await expect(startEmbeddedPostgres({ dataDir: folder })).rejects.toThrow(
    `${file} is not the password of the database beside it; restore the file`,
  )
  expect(await serverPid()).toBe(0)
})

test.each([
  ['is the same', undefined],
  ['differs', 'another'],
])(
  'a copy of a folder starts beside the original, whose password %s, on another port',
  async (_, password) => {
    const original = await startUsed()
    const copy = join(folder, 'copy')
    await mkdir(copy)
    await copyFolder(used, copy)
    await writeFile(join(copy, 'postgres-port'), String(original.port))
    if (password) await query(original.url, `alter role shardwalk password '${password}'`)
    const beside = await start(copy)
    expect(beside.port).not.toBe(original.port)
    // It was tried once, then waited for.
    const log = await readFile(join(copy, 'postgres.log'), 'utf8')
    expect(log.match(/could not bind/g)).toHaveLength(1)
    const { rows } = await query(beside.url, 'show data_directory')
    expect(rows).toEqual([{ data_directory: join(copy, 'postgres') }])
  },
)

test('a copied lock file leads no user of any system to the server of the original', async () => {
  const original = await startUsed()
  const copy = join(folder, 'copy')
  await mkdir(copy)
  await copyFile(join(folder, 'postgres/postmaster.pid'), join(copy, 'postmaster.pid'))
  await chmod(join(copy, 'postmaster.pid'), 0o644)
  const { platform } = process
  try {
    for (const value of [platform, 'darwin', 'win32']) {
      Object.defineProperty(process, 'platform', { value })
      expect(await readPostmaster(join(folder, 'postgres'))).toMatchObject({ pid: original.pid })
      expect(await readPostmaster(copy)).toBeUndefined()
    }
    Object.defineProperty(process, 'platform', { value: platform })
    if (isRoot) process.seteuid!(NOBODY.uid)
    expect(await readPostmaster(copy)).toBeUndefined()
  } finally {
    if (isRoot) process.seteuid!(0)
    Object.defineProperty(process, 'platform', { value: platform })
  }
})

test.runIf(process.platform === 'linux')(
  'a lock is not held by a process that has ended but is not reaped by its parent',
  async () => {
    // The shell becomes a program that never asks for its child, which ends after that.
    const child = `sh -c 'until grep -q sleep /proc/$PPID/comm; do :; done'`
    const parent = spawn('/bin/sh', ['-c', `${child} & echo $!; exec sleep 60`], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    try {
      const pid = Number(String((await once(parent.stdout!, 'data'))[0]))
      const stat = () => readFile(`/proc/${pid}/stat`, 'latin1')
      await expect.poll(async () => (await stat()).includes(') Z ')).toBe(true)
      const started = (await stat()).split(') ')[1]!.split(' ')[19]
      await writeFile(join(folder, 'owner'), `${pid} ${started}`)
      const lock = await OwnerLock.acquire(join(folder, 'owner'))
      expect(lock).toBeDefined()
      await lock?.release()
    } finally {
      parent.kill('SIGKILL')
    }
  },
)

test('a folder with other files instead of a database is refused and left unchanged', async () => {
  await mkdir(join(folder, 'postgres'))
  await writeFile(join(folder, 'postgres', 'thesis.txt'), 'mine')
  await expect(start()).rejects.toMatchObject({ code: 'embedded_postgres_failed' })
  expect(await readFile(join(folder, 'postgres', 'thesis.txt'), 'utf8')).toBe('mine')
})

test('short library names are created without an install script, in the package or elsewhere', async () => {
  const binaries = await locateBinaries()
  const copy = { ...binaries, root: join(folder, 'native') }
  await mkdir(copy.root)
  await copyFolder(binaries.root, copy.root)
  const list = await readFile(join(copy.root, 'pg-symlinks.json'), 'utf8')
  const removeLinks = () =>
    Promise.all(
      (JSON.parse(list) as { target: string }[]).map(({ target }) =>
        rm(join(folder, target), { force: true }),
      ),
    )
  // initdb needs a library that needs others, which postgres does not.
  const versions = async (prepared: PostgresBinaries) => {
    for (const name of ['postgres', 'initdb', 'pg_ctl'] as const)
      await run(program(prepared, name), ['--version'], { env: prepared.env })
  }

  await removeLinks()
  await expect(versions(copy)).rejects.toThrow(/shared librar|Library not loaded/)
  const both = [1, 2].map(() => linkLibraries(copy, join(folder, 'links')))
  for (const prepared of await Promise.all(both)) await versions(prepared)

  await removeLinks()
  await versions(await linkElsewhere(copy, await missingLinks(copy.root), join(folder, 'links')))
  const unlisted = join(folder, 'data: $HOME', 'links')
  await versions(await linkElsewhere(copy, await missingLinks(copy.root), unlisted))
  expect(await missingLinks(copy.root)).not.toEqual([])

  if (isRoot) return
  await chmod(join(copy.root, 'lib'), 0o555)
  await versions(await linkLibraries(copy, join(folder, 'links')))
  expect(await missingLinks(copy.root)).not.toEqual([])
  await chmod(join(copy.root, 'lib'), 0o755)
})

test.runIf(isRoot)(
  'root gets a server even if other users cannot access the folder, with a notice, whatever the umask',
  async () => {
    await chmod(folder, 0o700)
    const umask = process.umask(0o077)
    onTestFinished(() => void process.umask(umask))
    const notices: string[] = []
    const dataDir = join(folder, 'data')
    const server = await startEmbeddedPostgres({ dataDir, onNotice: (text) => notices.push(text) })
    started.push(server)
    const { rows } = await query(server.url, 'show data_directory')
    expect(notices).toEqual([expect.stringContaining(rows[0].data_directory)])
    await server.stop()
    const again = await start(dataDir)
    expect((await query(again.url, 'show data_directory')).rows).toEqual(rows)
    await again.stop()
    await rm(join(rows[0].data_directory, '..'), { recursive: true, force: true })
  },
)

test.each([
  ['is gone', false],
  ['is empty, as without its disk', true],
])('a link to a place that %s is not replaced by an empty database', async (_, isThere) => {
  const [target, link] = [join(folder, 'elsewhere'), join(folder, 'postgres')]
  if (isThere) await mkdir(target)
  await symlink(target, link)
  await expect(startEmbeddedPostgres({ dataDir: folder })).rejects.toThrow(
    `${link} is a link to ${target}, where there is no database. Mount the disk`,
  )
  expect(await readlink(link)).toBe(target)
  expect(await serverPid()).toBe(0)
})

test('a database behind a link is used', async () => {
  await copyUsed()
  await rename(join(folder, 'postgres'), join(folder, 'elsewhere'))
  await symlink(join(folder, 'elsewhere'), join(folder, 'postgres'))
  const { rowCount } = await query((await start()).url, 'select 1')
  expect(rowCount).toBe(1)
})

test.runIf(isRoot)('a database that this user may not read is not taken for a missing one', async () => {
  await copyUsed()
  await chmod(folder, 0o777)
  await rm(join(folder, 'postgres-password'))
  process.seteuid!(NOBODY.uid)
  try {
    await expect(startEmbeddedPostgres({ dataDir: folder })).rejects.toThrow(
      /^cannot read the database: EACCES: .*; start as the user who did before, or make .* \(chown -R\)$/,
    )
  } finally {
    process.seteuid!(0)
  }
  expect(await readdir(folder)).not.toContain('postgres-password')
})

test.runIf(isRoot)(
  'binaries for their owner only, of a strict umask, are for all where they are copied',
  async () => {
    const binaries = await locateBinaries()
    const copy = { ...binaries, root: join(folder, 'native') }
    await mkdir(copy.root)
    await copyFolder(binaries.root, copy.root)
    await run('chmod', ['-R', 'go-rwx', copy.root])
    await expect(run(program(copy, 'initdb'), ['--version'], { user: NOBODY })).rejects.toThrow('EACCES')
    const linked = await linkLibraries(
      await copyBinaries(copy, join(folder, 'copied')),
      join(folder, 'links'),
    )
    await run(program(linked, 'initdb'), ['--version'], { user: NOBODY, env: linked.env })
  },
)

/** Process ids of servers, one in each folder, whose starter was killed. */
function startInKilledProcess(dataDirs: readonly string[], before: string): Promise<number[]> {
  const script = `
    const start = (dataDir) => startEmbeddedPostgres({ dataDir })
    const pids = (await Promise.all(${JSON.stringify(dataDirs)}.map(start))).map(({ pid }) => pid)
    ${before}
    process.stdout.write(pids.join(), () => process.kill(process.pid, 'SIGKILL'))`
  return new Promise((resolve, reject) => {
    const child = spawnStarter(script)
    let output = ''
    child.stdout.on('data', (chunk) => {
      output += chunk
    })
    child.once('error', reject)
    child.once('close', () => resolve(output.split(',').map(Number)))
  })
}

/** A process that runs the script, which has `startEmbeddedPostgres`. */
function spawnStarter(script: string) {
  // Of vitest.config.ts: without the compiler.
  const compiled = join(process.env['COMPILED_COPY']!, 'parts/packages/embedded-postgres/src/index.js')
  const imported = `import { startEmbeddedPostgres } from ${JSON.stringify(pathToFileURL(compiled).href)}`
  return spawn(process.execPath, ['--input-type=module', '-e', `${imported}\n${script}`], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
}

test('data of another major version of PostgreSQL are left alone, and it is said what to do', async () => {
  await copyUsed()
  await writeFile(join(folder, 'postgres/PG_VERSION'), '17\n')
  await expect(startEmbeddedPostgres({ dataDir: folder })).rejects.toThrow(
    /by PostgreSQL version 17[\s\S]*choose another DATA_DIR/,
  )
})

test('a kept port on which somebody else listens is replaced by another one', async () => {
  await copyUsed()
  const port = Number(await readFile(join(folder, 'postgres-port'), 'utf8'))
  const other = createServer().listen(port, '127.0.0.1')
  await once(other, 'listening')
  const notices: string[] = []
  try {
    await expect(startEmbeddedPostgres({ dataDir: folder, port })).rejects.toThrow(
      /did not start: port \d+ is in use by another program; set another DATABASE_PORT/,
    )
    const moved = await startEmbeddedPostgres({ dataDir: folder, onNotice: (text) => notices.push(text) })
    started.push(moved)
    expect(moved.port).not.toBe(port)
    expect(notices.join()).toContain(`port ${port} is in use by another program`)
  } finally {
    other.close()
  }
  expect((await start()).port).not.toBe(port)
})
