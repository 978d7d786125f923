import { afterAll, beforeAll, describe } from 'vitest'
import { addressFacts, stateFacts } from './contracts/account-facts.ts'
import { ChainUnderApi } from './contracts/chain-under-api.ts'
import { dnsFacts, multisigFacts, vestingFacts } from './contracts/contract-facts.ts'
import { decodeFacts } from './contracts/decode-facts.ts'
import { filterRules } from './contracts/filter-rules.ts'
import { listRules } from './contracts/list-rules.ts'
import { LISTS } from './contracts/lists.ts'
import { mintlessRules } from './contracts/mintless-rules.ts'
import { objectRules } from './contracts/object-rules.ts'
import { jettonFacts, nftFacts, saleFacts } from './contracts/token-facts.ts'

/**
 * Compares what API v3 returns for accounts and contracts of the recorded chain with facts.json and the rules
 * of each endpoint.
 */
let chain: ChainUnderApi
beforeAll(async () => {
  chain = await ChainUnderApi.start()
})
afterAll(() => chain?.close())
const running = () => chain

describe('states', () => stateFacts(running))
describe('addresses', () => addressFacts(running))
describe('jettons', () => jettonFacts(running))
describe('NFTs', () => nftFacts(running))
describe('sales and transfers of NFTs', () => saleFacts(running))
describe('domains', () => dnsFacts(running))
describe('multisigs', () => multisigFacts(running))
describe('vesting', () => vestingFacts(running))
describe('decode', () => decodeFacts(running))
describe('rules of objects', () => objectRules(running))
for (const rules of LISTS) describe(`rules of ${rules.path}`, () => listRules(running, rules))
describe('rules of filters', () => filterRules(running))
describe('mintless jettons', () => mintlessRules(running))
