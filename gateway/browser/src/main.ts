import { offerCopies } from './copies.ts'
import { followEvents } from './live.ts'
import { renewTimes } from './times.ts'
import { offerVerification } from './verify.ts'

// every page works without this; it adds copying, renewing times, checking receipts and news
offerCopies(document)
renewTimes()
offerVerification()
followEvents(offerCopies)
