import { tmpdir } from 'node:os'
import { Writable } from 'node:stream'
import { createLogger } from '@shardwalk/observability'
import { expect, test } from 'vitest'
import { FullDisk } from './full-disk.ts'

test('a read-only file system is not called full; of a full one it is told what it lacks', async () => {
  const lines: string[] = []
  const output = new Writable({
    write(chunk, _encoding, done) {
      lines.push(String(chunk))
      done()
    },
  })
  const log = createLogger({ level: 'info', format: 'json', output })
  await new FullDisk(tmpdir(), log).report(Object.assign(new Error('open'), { code: 'EROFS' }))
  await new FullDisk(tmpdir(), log).report(Object.assign(new Error('write'), { code: 'ENOSPC' }))
  expect(lines[0]).toContain('"message":"the file system is read-only"')
  expect(lines[1]).toMatch(/"message":"no space left on device".*"free_mb":\d+/)
})
