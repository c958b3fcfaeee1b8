// In the visitor's page: a socket for Shiny that survives a short loss of connection (see shiny-session.ts).
(function () {
  'use strict';
  var RETRY_MS = [0, 250, 500, 1000, 2000];
  var ACK_EVERY = 16;

  function address(query) {
    var page = new URL(location.href);
    // Like Shiny: R uses it to choose one of several documents.
    page.pathname = page.pathname.replace(/\/?$/, '/websocket/');
    page.hash = '';
    page.protocol = page.protocol === 'https:' ? 'wss:' : 'ws:';
    page.search = query;
    return page.href;
  }

  function createSocket() {
    var id = null;
    var socket = null;
    // Whether the server has reported what it received; until then, nothing may be resent.
    var live = false;
    var received = 0;
    var sent = 0;
    var unconfirmed = [];
    var grace = 0;
    var lostAt = 0;
    var tries = 0;
    var own = { readyState: 0, binaryType: 'arraybuffer', send: send, close: close };

    function attach(query) {
      socket = new WebSocket(address(query));
      socket.binaryType = 'arraybuffer';
      socket.onmessage = take;
      socket.onclose = lost;
    }

    function take(event) {
      if (typeof event.data !== 'string') return deliver(event.data);
      var rest = event.data.slice(1);
      switch (event.data.charAt(0)) {
        case 'm':
          return deliver(rest);
        case 'a':
          return confirm(Number(rest));
        case 'o':
          id = rest.split(',')[0];
          grace = Number(rest.split(',')[1]);
          live = true;
          own.readyState = 1;
          if (own.onopen) own.onopen({ target: own });
          return undefined;
        case 'r':
          confirm(Number(rest));
          tries = 0;
          live = true;
          unconfirmed.forEach(function (message) {
            socket.send(message);
          });
          return undefined;
      }
      return undefined;
    }

    function deliver(data) {
      received += 1;
      if (received % ACK_EVERY === 0) socket.send('a' + received);
      if (own.onmessage) own.onmessage({ data: data, target: own });
    }

    function confirm(count) {
      unconfirmed.splice(0, Math.max(0, unconfirmed.length - (sent - count)));
    }

    function send(data) {
      var message = typeof data === 'string' ? 'm' + data : data;
      sent += 1;
      unconfirmed.push(message);
      if (live) socket.send(message);
    }

    function lost(event) {
      live = false;
      // Codes from 4000 on: the server has ended the session.
      var over = id === null || own.readyState > 1 || event.code >= 4000;
      if (tries === 0) lostAt = Date.now();
      if (over || Date.now() - lostAt > grace) return ended(event);
      setTimeout(
        function () {
          attach('pressroom-session=' + id + '&received=' + received);
        },
        RETRY_MS[Math.min(tries, RETRY_MS.length - 1)],
      );
      tries += 1;
      return undefined;
    }

    function ended(event) {
      own.readyState = 3;
      if (own.onclose) own.onclose(event);
    }

    function close(code, reason) {
      own.readyState = 2;
      socket.close(code || 1000, reason || '');
    }

    attach('pressroom-session=new');
    return own;
  }

  // Reported during a canary release, once for each page.
  var told = false;
  function tell(event) {
    // Not pictures or scripts that failed to load.
    if (told || (event.type === 'error' && !(event instanceof ErrorEvent))) return;
    told = true;
    navigator.sendBeacon(new URL('__pressroom__/script-error', location.href).href);
  }
  window.addEventListener('error', tell);
  window.addEventListener('unhandledrejection', tell);

  window.Shiny = window.Shiny || {};
  window.Shiny.createSocket = createSocket;
})();
