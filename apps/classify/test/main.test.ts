import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const STAKE = 'fixtures/traces/rbzKlyNgAhDnQ15r4tremaPVl_xURNgmSJQSyhGLSX4.json.gz'
const BURN = 'fixtures/traces/35MtsOa0weeyUpH8_9pk58WhIrOuyB6ycEH9lY-KhUY.json.gz'

const classify = (...files: readonly string[]) =>
  spawnSync(process.execPath, ['--import', 'tsx', 'apps/classify/src/main.ts', ...files], {
    cwd: ROOT,
    encoding: 'utf8',
  })

test('one JSON line per file, amounts as strings', () => {
  const { status, stdout } = classify(STAKE, BURN)
  const [stake, burn] = stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(status).toBe(0)
  expect(stake).toMatchObject({
    trace_id: 'rbzKlyNgAhDnQ15r4tremaPVl/xURNgmSJQSyhGLSX4=',
    state: 'ok',
    actions: [{ type: 'stake_deposit', amount: '10000000000', success: true }, { type: 'contract_deploy' }],
  })
  expect(burn.actions.map(({ type }: { type: string }) => type)).toContain('tgbtc_burn_fallback')
})

test('a file that is no trace is named, the others are still classified', () => {
  const { status, stdout, stderr } = classify('package.json', 'missing.json', STAKE)
  expect(status).toBe(1)
  expect(stdout.trim().split('\n')).toHaveLength(1)
  expect(stderr).toMatch(/package\.json: format undefined, expected 1/)
  expect(stderr).toMatch(/missing\.json: ENOENT/)
})

test('without files it tells how it is used', () => {
  const { status, stderr } = classify()
  expect(status).toBe(1)
  expect(stderr).toMatch(/^usage: shardwalk classify/)
})
