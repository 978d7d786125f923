import { PassThrough } from 'node:stream'
import { readSettings } from '@shardwalk/settings'
import { expect, test } from 'vitest'
import type { Context } from './context.ts'
import { StartOutput } from './start-output.ts'
import { Terminal } from './terminal.ts'

interface Start {
  readonly isTerminal: boolean
  readonly env?: Readonly<Record<string, string>>
  readonly verbose?: boolean
}

/** What `start` logs and writes first. */
function begun({ isTerminal, env = {}, verbose = false }: Start) {
  const { settings, given } = readSettings({
    flags: new Map(),
    env: { NETWORK: 'sample', ...env },
    dotenv: {},
    readSecretFile: () => '',
  })
  const output = Object.assign(new PassThrough(), { isTTY: isTerminal })
  const context = { settings, given, options: verbose ? { verbose } : {}, dataDir: '/data' }
  const lines = new StartOutput(context as unknown as Context, new Terminal(output))
  lines.begin()
  return { level: lines.context.settings.logLevel, text: String(output.read() ?? '') }
}

test('on a terminal only warnings are logged, but for --verbose or a level', () => {
  expect(begun({ isTerminal: true }).level).toBe('warn')
  // Migrations and settings are logged at this level.
  expect(begun({ isTerminal: true, verbose: true }).level).toBe('info')
  expect(begun({ isTerminal: true, env: { LOG_LEVEL: 'debug' } }).level).toBe('debug')
  expect(begun({ isTerminal: false }).level).toBe('info')
})

test('the first line names network, profile and where the data are; programs get JSON alone', () => {
  const { text } = begun({ isTerminal: true, env: { API_PROFILE: 'toncenter' } })
  expect(text).toMatch(/^Shardwalk \S+: network sample, profile toncenter, data in \/data\n$/)
  expect(begun({ isTerminal: false }).text).toBe('')
})
