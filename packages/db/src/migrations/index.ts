import type { Migration } from 'kysely'
import * as chain from './20261121000000_chain.ts'
import * as contracts from './20261121020000_contracts.ts'
import * as traces from './20261121030000_traces.ts'
import * as actions from './20261121040000_actions.ts'
import * as trust from './20261121040000_trust.ts'
import * as ingestStatus from './20261121050000_ingest_status.ts'
import * as metadata from './20261121060000_metadata.ts'
import * as changedFacts from './20261121081500_changed_facts.ts'
import * as contractStates from './20261121082000_contract_states.ts'
import * as sentMessages from './20261121090000_sent_messages.ts'
import * as dnsZones from './20261121093000_dns_zones.ts'
import * as space from './20261121100000_space.ts'
import * as listIndexes from './20261121103000_list_indexes.ts'
import * as contractSays from './20261121110000_contract_says.ts'
import * as tracesByHash from './20261121113000_traces_by_hash.ts'
import * as airdrops from './20261121123000_airdrops.ts'
import * as formerContracts from './20261121130000_former_contracts.ts'
import * as balanceRank from './20261121140000_balance_rank.ts'
import * as externalBodies from './20261121141000_external_bodies.ts'
import * as hiddenCurrencies from './20261122083000_hidden_currencies.ts'

/** In order of execution. Each migration stands alone and imports no application code. */
export const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '20261121000000_chain': chain,
  '20261121020000_contracts': contracts,
  '20261121030000_traces': traces,
  '20261121040000_actions': actions,
  '20261121040000_trust': trust,
  '20261121050000_ingest_status': ingestStatus,
  '20261121060000_metadata': metadata,
  '20261121081500_changed_facts': changedFacts,
  '20261121082000_contract_states': contractStates,
  '20261121090000_sent_messages': sentMessages,
  '20261121093000_dns_zones': dnsZones,
  '20261121100000_space': space,
  '20261121103000_list_indexes': listIndexes,
  '20261121110000_contract_says': contractSays,
  '20261121113000_traces_by_hash': tracesByHash,
  '20261121123000_airdrops': airdrops,
  '20261121130000_former_contracts': formerContracts,
  '20261121140000_balance_rank': balanceRank,
  '20261121141000_external_bodies': externalBodies,
  '20261122083000_hidden_currencies': hiddenCurrencies,
}
