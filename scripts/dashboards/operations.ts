import type { Section } from './grafana.ts'

/** The rate over five minutes of a counter, by labels. */
const rate = (metric: string, by?: string): string =>
  `sum${by ? ` by (${by})` : ''} (rate(shardwalk_${metric}[5m]))`
const quantile = (share: number, metric: string, by?: string): string =>
  `histogram_quantile(${share}, ${rate(`${metric}_bucket`, by ? `le, ${by}` : 'le')})`
const quantiles = (metric: string) => ({
  median: quantile(0.5, metric),
  '99th percentile': quantile(0.99, metric),
})

/** Whether it runs, what is slow and why, from the metrics of all processes. */
export const OPERATIONS: readonly Section[] = [
  {
    title: 'Head',
    panels: [
      {
        title: 'Blocks behind the head',
        as: 'number',
        metrics: { blocks: 'max(shardwalk_head_lag_blocks)' },
      },
      { title: 'Newest indexed block', as: 'number', metrics: { block: 'max(shardwalk_indexed_seqno)' } },
      {
        title: 'Blocks that are not proved yet',
        as: 'number',
        help: 'Signatures of validators are verified behind the head.',
        metrics: { blocks: 'max(shardwalk_indexed_seqno) - max(shardwalk_proved_mc_seqno)' },
      },
      {
        title: 'In quarantine',
        as: 'number',
        help: 'Parts that could not be decoded or stored. Report them.',
        metrics: { parts: 'sum(max by (kind) (shardwalk_quarantined))' },
      },
      {
        title: 'Lite servers up',
        as: 'number',
        metrics: { servers: 'sum(max by (server) (shardwalk_liteserver_up))' },
      },
      { title: 'Processes up', as: 'number', metrics: { processes: 'sum(up{job=~"shardwalk-.*"})' } },
      {
        title: 'Lag',
        help: 'Masterchain blocks between the newest one of the network and the newest indexed one.',
        metrics: { blocks: 'max(shardwalk_head_lag_blocks)' },
      },
      {
        title: 'Masterchain blocks per second',
        metrics: {
          indexed: rate('indexed_masterchain_blocks_total'),
          network: 'max(rate(shardwalk_head_seqno[5m]))',
        },
      },
      { title: 'Transactions per second', metrics: { indexed: rate('indexed_transactions_total') } },
      {
        title: 'Time to write a batch',
        unit: 's',
        help: 'One database transaction. Slow with everything else: look at the disk.',
        metrics: quantiles('commit_seconds'),
      },
    ],
  },
  {
    title: 'Lite servers',
    panels: [
      {
        title: 'Requests',
        unit: 'reqps',
        metrics: { '{{method}}': rate('liteserver_requests_total', 'method') },
      },
      {
        title: 'Requests by outcome',
        unit: 'reqps',
        metrics: { '{{outcome}}': rate('liteserver_requests_total', 'outcome') },
      },
      {
        title: 'Time of an answer, 99th percentile',
        unit: 's',
        metrics: { '{{method}}': quantile(0.99, 'liteserver_request_seconds', 'method') },
      },
      {
        title: 'Blocks behind the best server',
        help: 'A server that is always behind only costs requests: leave it out of LITESERVERS.',
        metrics: {
          '{{server}}':
            'scalar(max(shardwalk_liteserver_head_seqno)) - ' +
            'max by (server) (shardwalk_liteserver_head_seqno)',
        },
      },
    ],
  },
  {
    title: 'Full nodes',
    panels: [
      {
        title: 'Full nodes by state',
        help: 'With SOURCE p2p or auto. If none is ready, UDP is blocked or the clock is wrong.',
        metrics: { '{{overlay}}, {{state}}': 'max by (overlay, state) (shardwalk_p2p_peers)' },
      },
      {
        title: 'Bytes of datagrams',
        unit: 'Bps',
        metrics: { '{{direction}}': rate('p2p_bytes', 'direction') },
      },
      {
        title: 'Datagrams that were dropped',
        help: 'overrun: the process did not read them in time. Raise net.core.rmem_max.',
        metrics: {
          '{{kind}}':
            'sum by (kind) (rate(shardwalk_p2p_udp{kind=~"unknown|damaged|stale|limited|overrun"}[5m]))',
        },
      },
      {
        title: 'Age of new blocks when they are complete',
        unit: 's',
        help: 'From gen_utime, which has whole seconds.',
        metrics: quantiles('p2p_block_age_seconds'),
      },
      {
        title: 'Queries to full nodes that were not answered',
        help: 'Nodes refuse by silence, and datagrams are lost.',
        metrics: { '{{kind}}': 'sum by (kind) (rate(shardwalk_p2p_queries{result="unanswered"}[5m]))' },
      },
      {
        title: 'Rates of single full nodes',
        unit: 'Bps',
        help: 'In long answers.',
        metrics: { '{{of}}': 'max by (of) (shardwalk_p2p_peer_bytes_per_second)' },
      },
    ],
  },
  {
    title: 'Behind the head',
    panels: [
      {
        title: 'Contracts to examine',
        metrics: { '{{state}}': 'max by (state) (shardwalk_contracts_to_examine)' },
      },
      {
        title: 'Traces that wait for their actions',
        metrics: { 'for {{reason}}': 'max by (reason) (shardwalk_unclassified_traces)' },
      },
      {
        title: 'Longest wait of a trace',
        unit: 's',
        metrics: { seconds: 'max(shardwalk_unclassified_oldest_seconds)' },
      },
      {
        title: 'Classified per second',
        metrics: { traces: rate('classified_traces_total'), actions: rate('classified_actions_total') },
      },
      {
        title: 'Tokens that wait for metadata',
        metrics: { '{{type}}, {{state}}': 'max by (type, state) (shardwalk_metadata_queue)' },
      },
      {
        title: 'Failures and take-overs of jobs',
        metrics: { '{{type}}': 'sum by (type) (increase(shardwalk_queue_events_total[5m]))' },
      },
    ],
  },
  {
    title: 'API',
    panels: [
      {
        title: 'Requests, the ten busiest routes',
        unit: 'reqps',
        metrics: { '{{route}}': `topk(10, ${rate('http_requests_total', 'route')})` },
      },
      {
        title: 'Replies by status',
        unit: 'reqps',
        metrics: { '{{status}}': rate('http_requests_total', 'status') },
      },
      {
        title: 'Time of a request',
        unit: 's',
        metrics: quantiles('http_request_duration_seconds'),
      },
      {
        title: 'The ten slowest routes, 99th percentile',
        unit: 's',
        metrics: { '{{route}}': `topk(10, ${quantile(0.99, 'http_request_duration_seconds', 'route')})` },
      },
      {
        title: 'Time in the database, by statement',
        unit: 's',
        help: 'Seconds per second: what the statements cost in all.',
        metrics: { '{{query}}': `topk(10, ${rate('db_query_duration_seconds_sum', 'query')})` },
      },
      {
        title: 'Database connections',
        help: 'If requests wait for long, raise DATABASE_POOL_SIZE.',
        metrics: {
          'in use, {{pool}}': 'max by (pool) (shardwalk_db_pool_in_use)',
          'waiting, {{pool}}': 'max by (pool) (shardwalk_db_pool_waiting)',
        },
      },
      {
        title: 'Requests and streams in progress',
        metrics: {
          requests: 'sum(shardwalk_http_requests_in_progress)',
          streams: 'sum(shardwalk_streaming_connections)',
        },
      },
      {
        title: 'Refused',
        unit: 'reqps',
        help: 'By rate or key, by the number of requests, by the memory they need.',
        metrics: {
          '{{reason}}': rate('requests_refused_total', 'reason'),
          'requests at once: {{limit}}': rate('http_requests_not_admitted_total', 'limit'),
          'memory: {{limit}}': rate('http_bytes_refused_total', 'limit'),
        },
      },
    ],
  },
  {
    title: 'Processes and database',
    panels: [
      {
        title: 'Resident memory',
        unit: 'bytes',
        metrics: { '{{job}}': 'max by (job) (process_resident_memory_bytes{job=~"shardwalk-.*"})' },
      },
      {
        title: 'Processor time',
        unit: 'percentunit',
        metrics: { '{{job}}': 'sum by (job) (rate(process_cpu_seconds_total{job=~"shardwalk-.*"}[5m]))' },
      },
      {
        title: 'Pauses of the event loop, 99th percentile',
        unit: 's',
        metrics: { '{{job}}': 'max by (job) (nodejs_eventloop_lag_p99_seconds{job=~"shardwalk-.*"})' },
      },
      {
        title: 'Largest tables',
        as: 'table',
        sql: `select split_part(relname, '_lt_', 1) as "table", count(*) as parts,
  pg_size_pretty(sum(pg_table_size(oid))) as rows, pg_size_pretty(sum(pg_indexes_size(oid))) as indexes
from pg_class
where relkind = 'r' and relnamespace = 'public'::regnamespace
group by 1 order by sum(pg_total_relation_size(oid)) desc limit 12`,
      },
      {
        title: 'Size of the database',
        as: 'number',
        unit: 'bytes',
        width: 12,
        sql: 'select pg_database_size(current_database()) as bytes',
      },
    ],
  },
]
