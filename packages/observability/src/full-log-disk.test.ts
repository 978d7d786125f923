import { spawnSync } from 'node:child_process'
import { openSync } from 'node:fs'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'
import { outliveFullLogDisk } from './full-log-disk.ts'

const failing = (code: string) => {
  const output = new Writable({ autoDestroy: false })
  outliveFullLogDisk(output)
  outliveFullLogDisk(output)
  return () => output.emit('error', Object.assign(new Error('not written'), { code }))
}

test('a full disk ends no process, a reader of a pipe that is gone does', () => {
  expect(failing('ENOSPC')).not.toThrow()
  expect(failing('EROFS')).not.toThrow()
  expect(failing('EPIPE')).toThrow('not written')
})

/** Of vitest.config.ts: without the compiler. */
const COMPILED = join(process.env['COMPILED_COPY']!, 'parts/packages/observability/src/full-log-disk.js')
const PROGRAM = `
  import { outliveFullLogDisk } from ${JSON.stringify(pathToFileURL(COMPILED).href)}
  outliveFullLogDisk(process.stderr)
  process.stderr.write('lost')
  setImmediate(() => console.log(process.stderr.writable))
`

test.runIf(process.platform === 'linux')('the standard error is still open after a line was lost', () => {
  const run = spawnSync(process.execPath, ['--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')],
  })
  expect([run.status, run.stdout.toString()]).toEqual([0, 'true\n'])
})
