import { EXIT } from '@shardwalk/observability'
import { definitions } from '@shardwalk/settings'
import { expect, test } from 'vitest'
import { readCommandLine } from './command-line.ts'
import { COMMANDS, type Command } from './commands/index.ts'
import { CommandError } from './outcome.ts'

const run = async () => EXIT.done
const commands: Readonly<Record<string, Command>> = {
  ...COMMANDS,
  pick: {
    help: 'Pick. And more.',
    usage: '<x>',
    uses: ['Logs'],
    options: { c: 'value', csv: 'switch', one: 'list', from: ['value', 'where to begin'] },
    run,
  },
}

function read(...argv: string[]) {
  const printed: string[] = []
  const program = { commands, version: '1.2.3', print: (text: string) => void printed.push(text) }
  return { asked: readCommandLine(argv, program), printed: printed.join('\n') }
}

test('operands, options of the command and flags of settings are distinguished, wherever they stand', () => {
  const { asked } = read(
    '--log-level',
    'warn',
    'pick',
    '--csv',
    '-c',
    'select -1',
    'x',
    '--from=5',
    '--data-dir',
    'd',
  )
  expect(asked).toEqual({
    name: 'pick',
    operands: ['x'],
    options: { csv: true, c: 'select -1', from: '5' },
    flags: new Map([
      ['log-level', 'warn'],
      ['data-dir', 'd'],
    ]),
  })
  expect(read('pick', '--one', 'a', '--one=b,c').asked!.options).toEqual({ one: 'a,b,c' })
  expect(read('start', '--from', '7').asked!.flags).toEqual(new Map([['from', '7']]))
  expect(read('keys', 'create', 'me', '10', '-239').asked!.operands).toEqual(['create', 'me', '10', '-239'])
  expect(read('status', '--json').asked!.flags).toEqual(new Map([['log-format', 'json']]))
  expect(read('pick', '-c', '-- a comment').asked!.options).toEqual({ c: '-- a comment' })
})

test.each([
  [['stauts'], "unknown command 'stauts' (did you mean status?)"],
  [['nonsense'], "unknown command 'nonsense'"],
  [['help', 'stauts'], "unknown command 'stauts' (did you mean status?)"],
  [['help', 'nonsense'], "unknown command 'nonsense'"],
  [['status', '--netwrok', 'sample'], "unknown option '--netwrok' (did you mean --network?)"],
  [['pick', '--cvs'], "unknown option '--cvs' (did you mean --csv?)"],
  [['--data-dri', 'x', 'status'], "unknown option '--data-dri'"],
  [['status', '--data-dir'], "option '--data-dir <value>' argument missing"],
  [['status', '--data-dir', '--json'], '--data-dir: a value is missing'],
  [['status', '--data-dir='], '--data-dir: a value is missing'],
  [['pick', '-c'], "option '-c <value>' argument missing"],
  [['start', '--index-from', '5'], '--index-from: unknown; did you mean --from?'],
  [
    ['migrate', '--database-url', 'postgres://a:topsecret@b/c'],
    '--database-url: a command line is visible to all users; set DATABASE_URL in the environment or in .env',
  ],
])('%j is refused', (argv, message) => {
  expect(() => read(...argv)).toThrow(new CommandError(message))
})

test.each([['--version'], ['version']])('%s prints the version', (...argv) => {
  expect(read(...argv)).toEqual({ asked: undefined, printed: '1.2.3' })
})

test('help without a command lists all commands and no flags', () => {
  const { printed } = read('help')
  for (const name of Object.keys(commands)) expect(printed).toMatch(new RegExp(`^ {2}${name} `, 'm'))
  expect(printed).not.toContain('--data-dir')
  expect([read().printed, read('--help').printed]).toEqual([printed, printed])
})

test('help of a command shows its flags and variables and no others', () => {
  const { printed } = read('help', 'pick')
  expect(printed.split('\n')[0]).toBe('Usage: shardwalk pick <x> [flags]')
  for (const shown of ['-c <value>', '--csv', 'where to begin', '--log-level', '--network'])
    expect(printed).toContain(shown)
  for (const hidden of ['--api-port', 'DATABASE_URL', '--index-from', 'masterchain block to index'])
    expect(printed).not.toContain(hidden)
  expect(read('pick', '--help').printed).toBe(printed)
})

test('help of start shows every setting', () => {
  const printed = read('help', 'start').printed.replace(/\s+/g, ' ')
  for (const [, { name, flag }] of definitions()) {
    expect(printed).toContain(name)
    if (flag) expect(printed).toContain(`--${flag} <value>`)
  }
  expect(printed).not.toContain('undefined')
})
