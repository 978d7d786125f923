import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const COMPOSE = readFileSync(new URL('../../../infra/compose.yaml', import.meta.url), 'utf8')

/** The arguments of a key of the service, as the container has them. */
function argumentsOf(key: string): string[] {
  const service = COMPOSE.split('\n  metadata:\n    build')[1]!
  const list = service.split('\n').find((line) => line.trimStart().startsWith(`${key}: [`))!
  return JSON.parse(list.slice(list.indexOf('[')).replaceAll('$$', '$'))
}

const OFF = ['off', 'Off', 'FALSE', 'no', '0']

test.each([...OFF, 'on', 'On', 'true'])('METADATA_FETCH=%s: the container idles or fetches', (value) => {
  const [shell, option, script] = argumentsOf('entrypoint')
  const printed = script!
    .replace('exec sleep infinity', 'echo idle; exit')
    .replace('exec node scripts/shardwalk.mjs metadata', 'echo fetch')
  expect([script!.includes('sleep'), printed.includes('exec')]).toEqual([true, false])
  const env = { PATH: process.env['PATH'], METADATA_FETCH: value }
  const output = execFileSync(shell!, [option!, printed], { env, encoding: 'utf8' })
  expect(output.trim()).toBe(OFF.includes(value) ? 'idle' : 'fetch')
})

test.each(OFF)('METADATA_FETCH=%s: the idle container is healthy', (value) => {
  const [, , option, script] = argumentsOf('test')
  const env = { PATH: process.env['PATH'], METADATA_FETCH: value }
  expect(execFileSync(process.execPath, [option!, script!], { env, encoding: 'utf8' })).toBe('')
})
