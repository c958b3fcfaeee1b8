// What pages do better with JavaScript: logs that grow as they come, and links in the form of other clients.
(function () {
  'use strict';
  var xsrf = document.querySelector('meta[name="xsrf"]').content;

  function ask(path) {
    return fetch(path, { headers: { 'X-RSC-XSRF': xsrf } }).then(function (answer) {
      if (!answer.ok) throw new Error(String(answer.status));
      return answer.json();
    });
  }

  /** Adds what a task prints until it ends; then the page is shown anew, with its end. */
  function followTask(element) {
    var first = Number(element.dataset.lines);
    function next() {
      ask(element.dataset.task + '?first=' + first).then(
        function (task) {
          var atEnd = element.scrollTop + element.clientHeight >= element.scrollHeight - 4;
          if (task.output.length > 0) element.append(task.output.join('\n') + '\n');
          if (atEnd) element.scrollTop = element.scrollHeight;
          first = task.last;
          if (task.finished) location.reload();
          else setTimeout(next, 500);
        },
        function () {
          setTimeout(next, 3000);
        },
      );
    }
    next();
  }

  function followLog(element) {
    function next() {
      ask(element.dataset.log).then(
        function (log) {
          var lines = log.entries.map(function (entry) {
            return entry.timestamp + '  ' + entry.data;
          });
          element.textContent = lines.join('\n');
          setTimeout(next, 2000);
        },
        function () {
          setTimeout(next, 5000);
        },
      );
    }
    next();
  }

  /** `#/apps/{guid}` is a content item in the links that clients such as rsconnect make. */
  function followApp() {
    var app = /^#\/apps\/([0-9a-f-]{36})/i.exec(location.hash);
    if (app && location.pathname.endsWith('/__dashboard__/')) location.replace('content/' + app[1]);
  }

  followApp();
  document.querySelectorAll('[data-task]').forEach(followTask);
  document.querySelectorAll('[data-log]').forEach(followLog);
})();
