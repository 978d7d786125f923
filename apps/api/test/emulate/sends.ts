import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { FIXTURE_CHAIN_FOLDER } from '@shardwalk/testkit'

/** A message that was sent while the sample chain was recorded. */
export interface Send {
  /** Absent for large ones. */
  readonly boc?: string
  /** Hex. */
  readonly ext_hash: string
  readonly label?: string
  readonly dest: string
}

interface Step {
  readonly id: string
  readonly started_mc_seqno: number
  readonly sends?: readonly Send[]
}

interface Scenario {
  readonly steps: readonly Step[]
  readonly accounts: readonly { readonly name: string; readonly address: string }[]
}

const scenario = JSON.parse(
  gunzipSync(readFileSync(`${FIXTURE_CHAIN_FOLDER}/scenario.json.gz`)).toString('utf8'),
) as Scenario

/** Messages of the steps whose names match. */
export const sendsOf = (steps: RegExp): readonly (Send & { readonly step: Step; readonly boc: string })[] =>
  scenario.steps
    .filter(({ id }) => steps.test(id))
    .flatMap((step) =>
      (step.sends ?? []).flatMap((send) =>
        send.boc === undefined ? [] : [{ ...send, step, boc: send.boc }],
      ),
    )

export const addressOf = (name: string): string =>
  scenario.accounts.find((account) => account.name === name)!.address
