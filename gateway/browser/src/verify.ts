import { money } from './amounts.ts'

/** What a receipt says, and where the network says it too. */
interface Claim {
  rpcUrl: string
  txHash: string
  /** What was paid: a gig, or a job. */
  record: string
  /** The contracts that may have held the money, with spaces between them. */
  contract: string
  /** First topics of the log of the payment: its event, the record. */
  event: string
  key: string
  /** The event that names the fee, of the same record; without it the fee is in the event of the payment. */
  feeEvent?: string
  payee: string
  /** Micro-USDC. */
  net: string
  fee: string
}

interface Log {
  address: string
  topics: readonly string[]
  data: string
}

/** Lets the button of a receipt read the network itself, past this platform, and say what it compared. */
export function offerVerification(): void {
  const place = document.querySelector<HTMLElement>('#verify')
  const button = place?.querySelector('button')
  if (!place || !button) return
  place.hidden = false
  button.addEventListener('click', () => {
    button.disabled = true
    void verify(place.dataset as unknown as Claim)
      .catch((error: unknown) => [{ holds: false, text: `The network could not be read: ${error instanceof Error ? error.message : String(error)}` }])
      .then(findings => {
        show(place, findings)
        button.disabled = false
      })
  })
}

interface Finding {
  holds: boolean
  text: string
}

async function verify(claim: Claim): Promise<Finding[]> {
  const { rpcUrl, txHash, record, contract, event, key, feeEvent, payee, net, fee } = claim
  const receipt = (await call(rpcUrl, 'eth_getTransactionReceipt', [txHash])) as { status: string; blockNumber: string; logs: Log[] } | null
  if (receipt === null) return [{ holds: false, text: 'The network does not know this transaction.' }]
  const head = Number(await call(rpcUrl, 'eth_blockNumber', []))
  const block = Number(receipt.blockNumber)
  const logOf = (topic: string) =>
    receipt.logs.find(({ address, topics }) => contract.split(' ').some(one => same(address, one)) && same(topics[0], topic) && same(topics[1], key))
  const log = logOf(event)
  const holder = log?.address ?? contract
  const [paid, paidFee] = wordsOf(log)
  // without a fee there is no event of one
  const charged = feeEvent === undefined ? paidFee : (wordsOf(logOf(feeEvent))[0] ?? 0n)
  const findings = [
    { holds: receipt.status === '0x1', text: `The transaction is in block ${block}, ${head - block + 1} deep, and was carried out.` },
    { holds: log !== undefined, text: `The contract ${holder} recorded the payment of this ${record} in it.` },
  ]
  if (!log) return findings
  return [
    ...findings,
    { holds: same(`0x${log.topics[2]?.slice(26)}`, payee), text: `It was paid to ${payee}, the wallet of the assignee.` },
    { holds: paid === BigInt(net), text: `It paid ${usdc(paid)} net; this receipt says ${usdc(BigInt(net))}.` },
    { holds: charged === BigInt(fee), text: `It charged ${usdc(charged)} as the fee; this receipt says ${usdc(BigInt(fee))}.` },
  ]
}

async function call(rpcUrl: string, method: string, params: readonly unknown[]): Promise<unknown> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
  const response = await fetch(rpcUrl, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
  const answer = (await response.json()) as { result?: unknown; error?: { message: string } }
  if (answer.error) throw new Error(answer.error.message)
  return answer.result
}

const same = (a: string | undefined, b: string): boolean => a?.toLowerCase() === b.toLowerCase()
/** The words of 32 bytes that a log carries. */
const wordsOf = (log: Log | undefined): bigint[] => (log?.data.slice(2).match(/.{64}/g) ?? []).map(word => BigInt(`0x${word}`))
const usdc = (micro: bigint | undefined): string => (micro === undefined ? 'nothing' : money(Number(micro) / 1e6))

function show(place: HTMLElement, findings: readonly Finding[]): void {
  const holds = findings.every(finding => finding.holds)
  const verdict = document.createElement('p')
  verdict.textContent = holds ? 'The network says the same as this receipt.' : 'The network does not say the same as this receipt.'
  verdict.className = holds ? 'verified' : 'fault-text'
  const list = document.createElement('ul')
  list.append(
    ...findings.map(({ holds, text }) => {
      const entry = document.createElement('li')
      entry.textContent = `${holds ? '✓' : '✗'} ${text}`
      return entry
    }),
  )
  place.querySelector('.found')!.replaceChildren(verdict, list)
}
