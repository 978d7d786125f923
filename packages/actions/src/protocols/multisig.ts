// Multisig v2: orders created, approved and executed.

import { MULTISIG, MULTISIG_BODIES } from '@shardwalk/contracts'
import { cellToPlainBoc, fieldsOf } from '../body.ts'
import { TON } from '../core/block.ts'
import { type Matcher, need } from '../core/matcher.ts'
import { as, call, either, over, tonWithComment } from '../core/pattern.ts'
import { factsOf } from '../facts.ts'
import type { Columns } from '../row.ts'

const createOrder: Matcher = {
  name: 'multisig_create_order',
  anchors: [MULTISIG.newOrder],
  pattern: over(call(MULTISIG.newOrder), as('init', call(MULTISIG.initOrder))),
  build({ anchor, captures, facts }) {
    const init = need(captures.find('init'), 'order')
    const order = need(factsOf(facts, init.destination).multisigOrder, 'multisig order')
    const fields = fieldsOf(anchor, MULTISIG_BODIES.newOrder)
    const data = {
      query_id: fields.query_id,
      order_seqno: fields.order_seqno,
      is_created_by_signer: fields.signer,
      creator_index: fields.index,
      expiration_date: fields.expiration_date,
      order_boc: cellToPlainBoc(fields.order),
      is_signed_by_creator: fieldsOf(init, MULTISIG_BODIES.initOrder).approve_on_init,
    }
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      destination_secondary: init.destination,
      multisig_create_order_data: data,
    })
    return { type: 'multisig_create_order', accounts: order.signers, columns }
  },
}

const approve: Matcher = {
  name: 'multisig_approve',
  anchors: [MULTISIG.approve, TON],
  pattern: over(
    either(call(MULTISIG.approve), tonWithComment('approve')),
    either(as('accepted', call(MULTISIG.approveAccepted)), as('rejected', call(MULTISIG.approveRejected))),
  ),
  build({ anchor, captures, facts }) {
    const order = need(factsOf(facts, anchor.destination).multisigOrder, 'multisig order')
    const rejected = captures.find('rejected')
    const data = {
      signer_index: anchor.isCall ? fieldsOf(anchor, MULTISIG_BODIES.approve).signer_index : -1,
      exit_code: rejected ? fieldsOf(rejected, MULTISIG_BODIES.approveRejected).exit_code : 0,
    }
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      multisig_approve_data: data,
    })
    const failed = captures.find('accepted') === undefined
    return { type: 'multisig_approve', failed, accounts: order.signers, columns }
  },
}

const execute: Matcher = {
  name: 'multisig_execute',
  anchors: [MULTISIG.execute],
  pattern: call(MULTISIG.execute),
  build({ anchor, facts }) {
    const order = need(factsOf(facts, anchor.source).multisigOrder, 'multisig order')
    const { signers_hash, order: content, ...fields } = fieldsOf(anchor, MULTISIG_BODIES.execute)
    const data = {
      ...fields,
      signers_hash: signers_hash.toString('base64'),
      order_boc: cellToPlainBoc(content),
    }
    const columns = (): Columns => ({
      source: anchor.source,
      destination: anchor.destination,
      multisig_execute_data: data,
    })
    return { type: 'multisig_execute', failed: anchor.failed, accounts: order.signers, columns }
  },
}

/** Actions of their own, even if one message causes them all. */
export const multisig: readonly Matcher[] = [createOrder, approve, execute]
