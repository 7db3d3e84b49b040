// Looks for a number behind the text with which the SHA-256 digest is small enough, in slices that leave the page alive.
(() => {
  const form = document.querySelector('form'), skip = document.getElementById('skip')
  // No server sees what stands behind #: the page that takes an invitation reads it.
  const invite = document.getElementById('invite')
  if (invite && location.hash.startsWith('#invitation=')) return location.replace(invite.href + location.hash)
  // The operator's verifier asks for no calculation.
  if (!form) return
  const text = form.elements.text.value + ':', tries = +skip.dataset.tries
  // What the algorithm begins with: the fractions of the roots of primes.
  const primes = [], first = new Int32Array(64), constants = new Int32Array(64), block = new Int32Array(64)
  const fraction = (number, power) => (number ** power % 1) * 2 ** 32 | 0
  for (let number = 2; primes.length < 64; number++) {
    if (primes.every(prime => number % prime)) {
      first[primes.length] = fraction(number, .5)
      constants[primes.length] = fraction(number, 1 / 3)
      primes.push(number)
    }
  }
  const put = (at, letter) => { block[at >> 2] |= letter << 24 - at % 4 * 8 }

  // Whether the first 64 bits of the digest, as a number, are below 2^64 divided by the tries. Text and number fit into one block.
  const fits = number => {
    const letters = text + number, length = letters.length
    block.fill(0, 0, 15)
    for (let at = 0; at < length; at++) put(at, letters.charCodeAt(at))
    put(length, 128)
    block[15] = length * 8
    let a = first[0], b = first[1], c = first[2], d = first[3], e = first[4], f = first[5], g = first[6], h = first[7]
    for (let at = 0; at < 64; at++) {
      if (at > 15) {
        const low = block[at - 15], high = block[at - 2]
        block[at] = block[at - 16] + block[at - 7] + ((low >>> 7 | low << 25) ^ (low >>> 18 | low << 14) ^ low >>> 3) + ((high >>> 17 | high << 15) ^ (high >>> 19 | high << 13) ^ high >>> 10) | 0
      }
      const one = h + ((e >>> 6 | e << 26) ^ (e >>> 11 | e << 21) ^ (e >>> 25 | e << 7)) + (g ^ e & (f ^ g)) + constants[at] + block[at] | 0
      const two = ((a >>> 2 | a << 30) ^ (a >>> 13 | a << 19) ^ (a >>> 22 | a << 10)) + (a & b | c & (a | b)) | 0
      h = g
      g = f
      f = e
      e = d + one | 0
      d = c
      c = b
      b = a
      a = one + two | 0
    }
    return ((a + first[0] >>> 0) + (b + first[1] >>> 0) / 2 ** 32) * tries < 2 ** 32
  }

  // A message comes sooner than a timer, also in a tab that is not seen.
  const channel = new MessageChannel
  let number = 0, over = false
  channel.port1.onmessage = () => {
    for (const ends = Date.now() + 30; !over && Date.now() < ends;) {
      for (let tries = 0; tries < 250 && !over; tries++, number++) {
        if (fits(number)) {
          over = true
          form.elements.answer.value = number
          // A redirect keeps what stands behind # of the address that it was asked at.
          form.action += location.hash
          form.submit()
        }
      }
    }
    if (!over) channel.port2.postMessage(0)
  }
  // What happens without the calculation is said by the button, until it is pressed.
  const [said, wait] = ['text', 'wait'].map(id => document.getElementById(id))
  const stop = is => { over = said.hidden = skip.hidden = is; wait.hidden = !is }
  skip.onclick = () => stop(true)
  stop(false)
  channel.port2.postMessage(0)
})()
