/** Roles of a PostgreSQL server. The owner of the tables, who migrates them, is none of these. */
export const DATABASE_ROLES = {
  /** Used by ingest, actions and metadata. */
  writer: 'shardwalk_writer',
  /** Used by the API. */
  reader: 'shardwalk_reader',
  /** Used by people who run queries. */
  analyst: 'shardwalk_analyst',
} as const

/** Name of a role here; see `DATABASE_ROLES` for its name in PostgreSQL. */
export type DatabaseRole = keyof typeof DATABASE_ROLES

/** Privileges of tables. MAINTAIN exists from PostgreSQL 17 on. */
export type Privilege = 'SELECT' | 'INSERT' | 'UPDATE' | 'DELETE' | 'MAINTAIN'

interface Rights {
  readonly onTables: readonly Privilege[]
  /** Instead, by table. */
  readonly except: Readonly<Record<string, readonly Privilege[]>>
  /** `alter role`; the role may change them for a session, but for the last. */
  readonly settings: Readonly<Record<string, string>>
  readonly maxConnections?: number
}

/** What each role may do. Anything else is the owner's. */
export const RIGHTS: Readonly<Record<DatabaseRole, Rights>> = {
  writer: {
    // MAINTAIN: for ANALYZE.
    onTables: ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MAINTAIN'],
    except: {
      api_keys: [],
      webhooks: ['SELECT'],
      webhook_accounts: ['SELECT'],
      webhook_secrets: [],
      schema_migrations: ['SELECT'],
      schema_migrations_lock: ['SELECT'],
    },
    settings: {},
  },
  reader: {
    onTables: ['SELECT'],
    except: {
      // What clients send is remembered for an hour.
      sent_messages: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
      // So is what it is expected to do.
      pending_traces: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
      // Replies ask for metadata that they lack.
      metadata_queue: ['SELECT', 'INSERT', 'UPDATE'],
      // It delivers events.
      webhooks: ['SELECT', 'UPDATE'],
      webhook_outbox: ['SELECT', 'UPDATE', 'DELETE'],
    },
    settings: {},
  },
  analyst: {
    onTables: ['SELECT'],
    except: {
      api_keys: [],
      sent_messages: [],
      pending_traces: [],
      webhooks: [],
      webhook_secrets: [],
      webhook_outbox: [],
    },
    settings: {
      statement_timeout: '5min',
      idle_in_transaction_session_timeout: '1min',
      work_mem: '64MB',
      default_transaction_read_only: 'on',
    },
    maxConnections: 5,
  },
}
