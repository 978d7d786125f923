import { execFileSync } from 'node:child_process'
import { type LogFields, type Logger, silentLogger } from '@shardwalk/observability'
import { expect, test } from 'vitest'
import { affordableConnections } from './open-files.ts'

function accepted(asked: number, limit: number | undefined) {
  const logged: LogFields[] = []
  const log: Logger = { ...silentLogger, warn: (_message, fields = {}) => void logged.push(fields) }
  return { connections: affordableConnections(asked, log, limit), warnings: logged.length }
}

test('clients leave files to the process, which is logged if there are fewer than asked for', () => {
  expect(accepted(2_000, 4_096)).toEqual({ connections: 2_000, warnings: 0 })
  expect(accepted(2_000, 1_024)).toEqual({ connections: 824, warnings: 1 })
  expect(accepted(2_000, 256)).toEqual({ connections: 128, warnings: 1 })
})

test.skipIf(process.platform !== 'linux')('the limit is that of the process', () => {
  const script = `
    import { affordableConnections } from './apps/api/src/open-files.ts'
    console.log(affordableConnections(1e6, { warn() {} }))`
  const command = `ulimit -n 1024; exec "${process.execPath}" --import tsx --input-type=module -e "$SCRIPT"`
  const env = { ...process.env, SCRIPT: script }
  expect(Number(execFileSync('sh', ['-c', command], { env, encoding: 'utf8' }))).toBe(824)
})
