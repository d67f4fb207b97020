import { type Html, html } from './html.ts'
import { pictureHeight, pictureWidth } from './picture-size.ts'

/** What search engines and link previews read of a page. */
interface Shared {
  title: string
  summary: string | undefined
  /** Of the page. */
  address: string | undefined
  /** Of its picture. */
  picture: string | undefined
}

export const shareHead = ({ title, summary, address, picture }: Shared): Html => html`${
  summary &&
  html`<meta name="description" content="${summary}">
<meta property="og:description" content="${summary}">`
}
<meta property="og:type" content="website">
<meta property="og:site_name" content="Carapace">
<meta property="og:title" content="${title}">
${
  address &&
  html`<link rel="canonical" href="${address}">
<meta property="og:url" content="${address}">`
}
${
  picture
    ? html`<meta property="og:image" content="${picture}">
<meta property="og:image:width" content="${pictureWidth}">
<meta property="og:image:height" content="${pictureHeight}">
<meta name="twitter:card" content="summary_large_image">`
    : html`<meta name="twitter:card" content="summary">`
}`
