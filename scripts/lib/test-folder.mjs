import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'
import { join } from 'node:path'

const MEMORY = '/dev/shm'
/** All that a run of the tests has in files at one time is less than half of that. */
const NEEDED_BYTES = 4 * 2 ** 30
const PREFIX = 'shardwalk-tests-'

/**
 * Where tests have their temporary files: in memory if there is plenty, because thousands of small files of
 * databases are made and removed, otherwise in the usual place. It is removed when this process exits.
 */
export function testFolder() {
  if (process.env.TMPDIR || !hasRoom()) return tmpdir()
  removeFormer()
  const folder = join(MEMORY, `${PREFIX}${process.pid}`)
  mkdirSync(folder, { recursive: true })
  // PostgreSQL runs as another user if tests run as root.
  chmodSync(folder, 0o755)
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  return folder
}

function hasRoom() {
  if (!existsSync(MEMORY)) return false
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= NEEDED_BYTES && freemem() >= 2 * NEEDED_BYTES
}

/** Removes what killed runs left, except what belongs to other users. */
function removeFormer() {
  for (const name of readdirSync(MEMORY))
    if (name.startsWith(PREFIX) && !existsSync(`/proc/${name.slice(PREFIX.length)}`))
      try {
        rmSync(join(MEMORY, name), { recursive: true, force: true })
      } catch (error) {
        if (!['EACCES', 'EPERM'].includes(error.code)) throw error
      }
}
