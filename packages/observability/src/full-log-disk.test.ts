import { spawnSync } from 'node:child_process'
import { openSync } from 'node:fs'
import { Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
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

const PROGRAM = `
  import { outliveFullLogDisk } from './full-log-disk.ts'
  outliveFullLogDisk(process.stderr)
  process.stderr.write('lost')
  setImmediate(() => console.log(process.stderr.writable))
`

test.runIf(process.platform === 'linux')('the standard error is still open after a line was lost', () => {
  const args = ['--import', 'tsx', '--input-type=module', '--eval', PROGRAM]
  const run = spawnSync(process.execPath, args, {
    cwd: fileURLToPath(new URL('.', import.meta.url)),
    stdio: ['ignore', 'pipe', openSync('/dev/full', 'w')],
  })
  expect([run.status, run.stdout.toString()]).toEqual([0, 'true\n'])
})
