import { account, at, type Facts, of, type Path } from './scale-paths.ts'

const COMMON = ['call_contract', 'contract_deploy', 'jetton_swap', 'jetton_transfer', 'ton_transfer']
const swaps = 'action_type=jetton_swap&action_type=jetton_transfer'
const others = COMMON.map((type) => `exclude_action_type=${type}`).join('&')
const busy = (f: Facts, i: number) => `account=${account(f.busy, i)}`
const time = (f: Facts, i: number) => `start_utime=${at(f.time, i)}`

/** What `/actions` is asked for besides the bounds and the order of the list. */
const ASKED: Readonly<Record<string, Path>> = {
  all: () => '',
  '1000': () => 'limit=1000',
  'offset 2000': () => 'limit=1000&offset=2000',
  'a type': () => 'action_type=ton_transfer',
  'two types': () => swaps,
  'a type that is rare': () => 'action_type=jetton_swap',
  'a type that never occurs': () => 'action_type=dns_renew',
  'other types': () => others,
  'account, any': (f, i) => `account=${account(f.accounts, i)}`,
  'account, busy': busy,
  'account, busy, 1000': (f, i) => `${busy(f, i)}&limit=1000`,
  'account, busy, a type': (f, i) => `${busy(f, i)}&action_type=ton_transfer`,
  'account, busy, a type that is rare': (f, i) => `${busy(f, i)}&${swaps}`,
  'account, busy, other types': (f, i) => `${busy(f, i)}&${others}`,
}

/** What does not depend on bounds, because the rows are few. */
const NAMED: Readonly<Record<string, Path>> = {
  trace: (f, i) => `trace_id=${of(f.traces, i)}`,
  'trace, a type': (f, i) => `trace_id=${of(f.traces, i)}&action_type=ton_transfer`,
  'trace and account': (f, i) => `trace_id=${of(f.traces, i)}&${busy(f, i)}`,
  transaction: (f, i) => `tx_hash=${of(f.hashes, i)}`,
  message: (f, i) => `msg_hash=${of(f.messages, i)}`,
  'action id': (f, i) => `action_id=${of(f.hashes, i)}`,
  'masterchain block': (f, i) => `mc_seqno=${of(f.seqnos, i)}`,
  'masterchain block, a type': (f, i) => `mc_seqno=${of(f.seqnos, i)}&action_type=ton_transfer`,
  'masterchain block and account': (f, i) => `mc_seqno=${of(f.seqnos, i)}&${busy(f, i)}`,
}

const BOUNDS: Readonly<Record<string, Path>> = {
  '': () => '',
  ', from an lt': (f, i) => `start_lt=${at(f.lt, i)}`,
  ', until an lt': (f, i) => `end_lt=${at(f.lt, i)}`,
  ', from a time': time,
  ', until a time': (f, i) => `end_utime=${at(f.time, i)}`,
  ', a minute': (f, i) => `${time(f, i)}&end_utime=${at(f.time, i) + 60}`,
}

/** Every form of `/actions`: 14 lists with six kinds of bounds and nine others, in both orders each. */
export const ACTION_PATHS: Readonly<Record<string, Path>> = Object.fromEntries([
  ...forms('actions', ASKED, BOUNDS),
  ...forms('actions', NAMED, { '': () => '' }),
  ...forms('traces', { 'with actions': () => 'include_actions=true' }, BOUNDS),
])

function* forms(
  route: string,
  asked: Readonly<Record<string, Path>>,
  bounds: Readonly<Record<string, Path>>,
): Iterable<[string, Path]> {
  for (const [name, ask] of Object.entries(asked))
    for (const [range, bound] of Object.entries(bounds))
      for (const sort of ['desc', 'asc'])
        yield [
          `${route}: ${name}${range}, ${sort}`,
          (facts, round) =>
            `${route}?${[ask(facts, round), bound(facts, round), `sort=${sort}`].filter(Boolean).join('&')}`,
        ]
}
