import { type Network, parseUsd } from '@carapace/api'
import { type Html, html } from '../html.ts'

/** What a receipt says of a payment, and where its network says it too. */
export interface Claim {
  record: 'gig' | 'job'
  txHash: string
  /** That may have held the money. */
  contracts: readonly string[]
  /** Topics of the events: the payment, and the fee where it has one of its own. */
  event: string
  feeEvent?: string
  /** Of the record on chain. */
  key: string
  payee: string
  /** Whole USDC. */
  net: number
  fee: number
}

/** A button with which a browser reads the network itself, without this platform, and compares. */
export const verification = ({ record, txHash, contracts, event, feeEvent, key, payee, net, fee }: Claim, { rpcUrl }: Network): Html => {
  const micro = (usdc: number) => String(parseUsd(usdc) ?? 0n)
  return html`<div id="verify" class="verify no-print" hidden data-record="${record}" data-rpc-url="${rpcUrl}" data-tx-hash="${txHash}" data-contract="${contracts.join(' ')}" data-event="${event}"${feeEvent !== undefined && html` data-fee-event="${feeEvent}"`} data-key="${key}" data-payee="${payee}" data-net="${micro(net)}" data-fee="${micro(fee)}"><button class="button" type="button">Verify on chain</button><p class="side">Your browser reads the network itself and compares.</p><div class="found" role="status"></div></div>`
}
