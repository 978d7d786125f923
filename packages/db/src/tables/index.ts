import type { Insertable, Selectable } from 'kysely'
import type {
  AccountDataTable,
  CodesTable,
  HiddenCurrenciesTable,
  LatestAccountStatesTable,
  StatePartsTable,
} from './account-states.ts'
import type { AccountsTable } from './accounts.ts'
import type { ActionAccountsTable, ActionsTable, ClassificationFailuresTable } from './actions.ts'
import type { BlocksTable, ShardStateTable } from './blocks.ts'
import type { MessagesTable } from './messages.ts'
import type { IndexedRangesTable, IngestStatusTable, NetworkTable, QuarantineTable } from './progress.ts'
import type { TracesTable, UnclassifiedTracesTable } from './traces.ts'
import type { TransactionsTable } from './transactions.ts'

/** Every table, by its name. docs/schema.md tells the grain and the meaning of each. */
export interface Database {
  accounts: AccountsTable
  blocks: BlocksTable
  shard_state: ShardStateTable
  transactions: TransactionsTable
  messages: MessagesTable
  latest_account_states: LatestAccountStatesTable
  codes: CodesTable
  account_data: AccountDataTable
  state_parts: StatePartsTable
  hidden_currencies: HiddenCurrenciesTable
  traces: TracesTable
  actions: ActionsTable
  action_accounts: ActionAccountsTable
  classification_failures: ClassificationFailuresTable
  unclassified_traces: UnclassifiedTracesTable
  indexed_ranges: IndexedRangesTable
  ingest_status: IngestStatusTable
  quarantine: QuarantineTable
  network: NetworkTable
}

export type AccountRow = Selectable<AccountsTable>
export type BlockRow = Selectable<BlocksTable>
export type ShardStateRow = Selectable<ShardStateTable>
export type TransactionRow = Selectable<TransactionsTable>
export type MessageRow = Selectable<MessagesTable>
export type LatestAccountStateRow = Selectable<LatestAccountStatesTable>
export type QuarantineRow = Selectable<QuarantineTable>
export type NewQuarantineRow = Insertable<QuarantineTable>

export { MESSAGE_FLAGS } from './messages.ts'
export { TRACE_STATE } from './traces.ts'
