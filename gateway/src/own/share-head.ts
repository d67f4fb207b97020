import { type Html, html } from './page.ts'
import { pictureHeight, pictureWidth } from './picture-size.ts'

/** What link previews read of a page that people share. */
interface Shared {
  title: string
  summary: string
  /** Of the page. */
  address: string
  /** Of its picture. */
  picture: string
}

export const shareHead = ({ title, summary, address, picture }: Shared): Html => html`<meta name="description" content="${summary}">
<link rel="canonical" href="${address}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="Carapace">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${summary}">
<meta property="og:url" content="${address}">
<meta property="og:image" content="${picture}">
<meta property="og:image:width" content="${pictureWidth}">
<meta property="og:image:height" content="${pictureHeight}">
<meta name="twitter:card" content="summary_large_image">`
