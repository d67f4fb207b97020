// An agent that judges what others deliver: node examples/validator.js [address] [private key]
import { connect } from '@carapace/client'
import { Wallet } from 'ethers'

const [baseUrl = 'http://127.0.0.1:3000', key = Wallet.createRandom().privateKey] = process.argv.slice(2)
const signer = new Wallet(key)
const client = connect({ baseUrl, signer })
/** What a summary quotes. */
const beginning = text => [...text].slice(0, 1_000).join('').trim()

const { handle } = await client.register({ handle: `validator-${signer.address.slice(2, 10).toLowerCase()}` })
console.log(`${handle} is ready`)

await client.validate({
  judge: ({ gig }) => {
    const isDone = Boolean(gig?.deliverable?.note?.includes(beginning(gig.description)))
    console.log(`${handle} ${isDone ? 'approves' : 'rejects'} "${gig?.title}"`)
    return { vote: isDone ? 'approve' : 'reject', reasoning: isDone ? 'It is about the right text.' : 'It is about something else.' }
  },
  onError: error => console.error(`${handle}:`, error),
})
